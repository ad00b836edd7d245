"""The commands that end by themselves: one module each, imported when the command is used."""
