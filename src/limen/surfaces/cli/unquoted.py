"""Commands that take a text: what people forget around it is said, instead of what a parser makes of it."""

import click

from limen.kit.text import clip

_SHOWN_CHARS = 100


class TakesText(click.Command):
    """A command whose last argument is a text of several words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        ctx.allow_extra_args = True
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            text = next((word for word in given if word.startswith("-") and " " in word), None)
            if text is None:
                raise
            said = f'A text that begins with "-" stands behind "--": {ctx.command_path} -- "{clip(text, _SHOWN_CHARS)}"'
            raise click.UsageError(said, ctx) from error
        if ctx.args:
            first = [str(ctx.params[param.name]) for param in self.params if isinstance(param, click.Argument) and param.name]
            *before, begin = first
            words = " ".join([begin, *ctx.args])
            ctx.fail(
                f'Put the words between quotation marks: {" ".join([ctx.command_path, *before])} "{clip(words, _SHOWN_CHARS)}"'
            )
        return rest
