"""What a pull request is told: one comment and inline suggestions, in two halves that do not trust each other.

``write`` runs in the unprivileged workflow, on the pull request's own files, and makes one JSON file. ``post`` runs in the
privileged one, on the default branch's files, and takes everything in that file for hostile. It needs the standard library
only, so that nothing is installed where a token lies.
"""
