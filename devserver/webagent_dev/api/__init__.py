"""The interface of the owner: the inspector, the terminal, the editor, agent programs."""
