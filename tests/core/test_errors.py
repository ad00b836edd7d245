import webagent.errors as errors


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """The module's docstring draws every exception, and no other."""
    drawn = {
        word
        for line in (errors.__doc__ or "").splitlines()
        if line.startswith("    ")
        for word in line.replace("│", "").replace("├──", "").replace("└──", "").split()[:1]
    }
    defined = {name for name, item in vars(errors).items() if isinstance(item, type)}

    assert drawn == defined


def test_every_kind_is_unique() -> None:
    """No two exceptions answer with the same kind."""
    kinds = [error.kind for error in errors.ToolError.__subclasses__()]

    assert len(kinds) == len(set(kinds))
