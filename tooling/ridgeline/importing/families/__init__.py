"""One small mapper for each family of models: from its config's keys to layers."""
