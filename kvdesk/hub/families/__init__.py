"""One small module per family of models: a text model's object of a config.json -> its layers."""
