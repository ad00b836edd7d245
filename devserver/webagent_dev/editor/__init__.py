"""The language server of `webagent-dev lsp`: manifests that are open in an editor."""
