"""Whether the documents that the records cite are still where they were. The only part of the tool that uses the network."""
