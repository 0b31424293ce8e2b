"""What commands take, in the words of click, and read without it where they are written in the usual way.

Importing click takes longer than training on thousands of rows. So commands are declared here, with the names and
arguments that click has, and `Command.read` reads options as most people write them. For help, for completion and for
all that is not read here, a mistake among it, `Command.for_click` makes the command of click's: `by_click.py`.
"""

from __future__ import annotations

import os
import sys

from banbury.annotations import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import click

    Decorator = Callable[[Any], Any]


class UsageError(Exception):
    """A command that was not called as it must be, which click says beside its usage."""

    def for_click(self) -> click.UsageError:
        """The same as click has it."""
        import click

        return click.UsageError(str(self))


class BadParameter(UsageError):
    """The value of an option cannot be used."""

    def __init__(self, message: str, *, param_hint: str | None = None) -> None:
        super().__init__(message)
        self._hint = param_hint

    def for_click(self) -> click.UsageError:
        """The same as click has it."""
        import click

        return click.BadParameter(str(self), param_hint=self._hint)


# What a value can be


class Kind:
    """Any text. The other kinds have the names that they have in click, and are made with the same arguments."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        self._given, self._settings = given, settings

    def read(self, text: str) -> Any:
        """The value that is written like this; a ValueError where click has to look at it, or to say what is wrong."""
        return text

    def for_click(self) -> Any:
        """The type of click's."""
        import click

        return getattr(click, type(self).__name__)(*self._given, **self._settings)


class Choice(Kind):
    """One of some texts."""

    def read(self, text: str) -> str:
        """The text, where it is one of them."""
        if text not in self._given[0]:
            raise ValueError(text)
        return text


class FloatRange(Kind):
    """A number from `min` to `max`."""

    kind: Any = float

    def __init__(self, min: float | None = None, max: float | None = None) -> None:
        super().__init__(min, max)

    def read(self, text: str) -> Any:
        """The number."""
        number, (least, most) = self.kind(text), self._given
        if not (least is None or number >= least) or not (most is None or number <= most):
            raise ValueError(text)
        return number


class IntRange(FloatRange):
    """A whole number from `min` to `max`."""

    kind = int


class Float(FloatRange):
    """Any number."""

    def for_click(self) -> Any:
        """The type of click's."""
        return float


class Path(Kind):
    """A path; where something is there, it is a file or a folder that can be read."""

    def __init__(self, *, exists: bool = False, dir_okay: bool = True) -> None:
        super().__init__(exists=exists, dir_okay=dir_okay)

    def read(self, text: str) -> str:
        """The path."""
        if not os.path.exists(text):
            is_right = not self._settings["exists"]
        else:
            is_right = os.access(text, os.R_OK) and (self._settings["dir_okay"] or not os.path.isdir(text))
        if not is_right:
            raise ValueError(text)
        return text


class NewFile(Path):
    """A file to write; a path that cannot be written is an error before any work is done."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def read(self, text: str) -> str:
        """The path, where a file can be made there."""
        path = super().read(text)
        if reason := self._fault(path):
            raise ValueError(reason)
        return path

    def _fault(self, path: str) -> str | None:
        folder = os.path.dirname(os.path.realpath(path))
        if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
            return None
        if not os.path.isdir(folder):
            return f"there is no folder {os.path.dirname(path)!r} to write {path!r} to"
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"nothing can be written to the folder of {path!r}"
        return None

    def for_click(self) -> Any:
        """The type of click's."""
        import click

        fault = self._fault

        class ClickNewFile(click.Path):
            def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
                path: Any = super().convert(value, param, context)
                if reason := fault(path):
                    self.fail(reason, param, context)
                return path

        return ClickNewFile(dir_okay=False)


class Own(Kind):
    """The base of kinds that click does not have: the message of their ValueError is what it says."""

    name = ""
    """What help shows."""

    def for_click(self) -> Any:
        """The type of click's."""
        import click

        kind = self

        class ClickOwn(click.ParamType):  # type: ignore[type-arg]  # some versions have it without arguments
            name = kind.name

            def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
                try:
                    return kind.read(value)
                except ValueError as error:
                    self.fail(str(error), param, context)

        return ClickOwn()


# What a command takes


class Parameter:
    """An option or an argument: the words of its declaration, and its settings, as click has them."""

    def __init__(self, maker: str, words: tuple[str, ...], settings: dict[str, Any]) -> None:
        self._maker, self._words, self._settings = maker, words, settings
        self.is_argument = maker == "argument"
        self.options = [part for word in words if word[0] == "-" for part in word.split("/")]
        """How an option is written."""
        name = next((word for word in words if word[0] != "-"), None)
        self.name = name or next(word for word in self.options if word[:2] == "--")[2:].replace("-", "_")
        self.kind: Kind = settings.get("type") or Kind()
        self.takes_many = settings.get("nargs") == -1 or "multiple" in settings
        is_switch = "is_flag" in settings or any("/" in word for word in words)
        self.default: Any = settings.get("default", () if self.takes_many else False if is_switch else None)
        self.is_required = settings.get(
            "required", self.is_argument and not self.takes_many and "default" not in settings
        )
        self.meanings: dict[str, Any] = {}
        """What an option that takes no value means, by how it is written."""
        if is_switch or "flag_value" in settings:
            self.meanings = dict.fromkeys(self.options, settings.get("flag_value", True))
            self.meanings |= {word.partition("/")[2]: False for word in words if "/" in word}

    def __call__(self, function: Any) -> Any:
        """The function of a command with one parameter more, in front of those that it has."""
        function.__dict__.setdefault("parameters", []).insert(0, self)
        return function

    def for_click(self) -> Any:
        """The decorator of click's."""
        import click

        settings = {**self._settings, "type": self.kind.for_click()} if "type" in self._settings else self._settings
        return getattr(click, self._maker)(*self._words, **settings)


def option(*words: str, **settings: Any) -> Parameter:
    """An option, declared as with `click.option`."""
    return Parameter("option", words, settings)


def argument(name: str, **settings: Any) -> Parameter:
    """An argument, declared as with `click.argument`."""
    return Parameter("argument", (name,), settings)


def together(parameters: Sequence[Decorator]) -> Decorator:
    """Several of them as one decorator."""

    def decorate(command: Any) -> Any:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return decorate


class Command:
    """A function, and what it takes. It writes no file that it reads, but for a model that it `changes`."""

    def __init__(self, function: Callable[..., Any], *, changes: str = "", **settings: Any) -> None:
        self.name: str = settings.setdefault("name", function.__name__)
        self._function, self._changes, self._settings = function, changes, settings
        self.parameters: list[Parameter] = list(function.__dict__.get("parameters", ()))

    def read(self, words: Sequence[str]) -> dict[str, Any] | None:
        """The values of all parameters; None where click has to look at these words.

        >>> @command()
        ... @argument("files", nargs=-1)
        ... @option("--top", type=IntRange(min=1), default=3)
        ... def show(files, top): ...
        >>> show.read(["a.csv", "--top", "5", "b.csv"]), show.read(["--top", "0"])
        ({'top': 5, 'files': ('a.csv', 'b.csv')}, None)
        """
        options = {word: parameter for parameter in self.parameters for word in parameter.options}
        values = {parameter.name: parameter.default for parameter in self.parameters if not parameter.is_argument}
        given: set[str] = set()
        placed: list[str] = []
        left = list(reversed(words))
        try:
            while left:
                word = left.pop()
                if not _is_option(word):
                    placed.append(word)
                    continue
                parameter = options[word]
                if parameter.meanings:
                    value = parameter.meanings[word]
                elif _is_option(text := left.pop()):
                    return None
                else:
                    value = parameter.kind.read(text)
                if parameter.takes_many:
                    value = (*values[parameter.name], value)
                elif parameter.name in given:
                    return None
                values[parameter.name] = value
                given.add(parameter.name)
            values |= self._placed(placed)
        except (LookupError, ValueError):
            return None
        is_missing = any(each.is_required and each.name not in given for each in options.values())
        return None if is_missing else values

    def _placed(self, words: list[str]) -> dict[str, Any]:
        """The values of the arguments; too few or too many words are an error."""
        values: dict[str, Any] = {}
        for parameter in self.parameters:
            if not parameter.is_argument:
                continue
            if parameter.takes_many:
                values[parameter.name], words = tuple(map(parameter.kind.read, words)), []
                if parameter.is_required and not values[parameter.name]:
                    raise LookupError(parameter.name)
            elif words or parameter.is_required:
                values[parameter.name], words = parameter.kind.read(words[0]), words[1:]
            else:
                values[parameter.name] = parameter.default
        if words:
            raise LookupError(words[0])
        return values

    def __call__(self, values: dict[str, Any]) -> Any:
        """Run it, once it is clear that no file is read and written."""
        for parameter in self.parameters:
            if isinstance(parameter.kind, NewFile) and (path := values[parameter.name]):
                self._check(path, values)
        return self._function(**values)

    def _check(self, output: str, values: dict[str, Any]) -> None:
        for parameter in self.parameters:
            is_read = parameter.is_argument or isinstance(parameter.kind, Path)
            if not is_read or isinstance(parameter.kind, NewFile) or parameter.name == self._changes:
                continue
            value = values[parameter.name]
            if parameter.is_argument and parameter.takes_many and not values.get("texts"):
                paths = value or ("-",)  # without a file, standard input is read
            else:
                paths = [value] if isinstance(value, str) else []
            if any(_is_same(path, output) for path in paths):
                raise UsageError(f"{output!r} is read and would be overwritten: name another file to write.")

    def for_click(self) -> click.Command:
        """The same command of click's."""
        import click

        def call(**values: Any) -> Any:
            known = click.get_current_context().find_object(UsageError)
            try:
                if known is not None:
                    raise known
                return self(values)
            except UsageError as mistake:
                raise mistake.for_click() from None

        call.__doc__ = self._function.__doc__
        made: Any = call
        for parameter in reversed(self.parameters):
            made = parameter.for_click()(made)
        command: click.Command = click.command(**self._settings)(made)
        return command

    def find(self, words: Sequence[str]) -> tuple[Command, Sequence[str]]:
        """The command that these words are for, and those that are left for it."""
        return self, words


class Group(Command):
    """Commands below a name."""

    def __init__(self, function: Callable[..., Any], **settings: Any) -> None:
        super().__init__(function, **settings)
        self.commands: dict[str, Command] = {}

    def command(self, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
        """A decorator that makes a command of this group of a function."""

        def decorate(function: Callable[..., Any]) -> Command:
            made = Command(function, **settings)
            self.commands[made.name] = made
            return made

        return decorate

    def read(self, words: Sequence[str]) -> None:
        """Click's work: without one of its commands there is only help."""

    def find(self, words: Sequence[str]) -> tuple[Command, Sequence[str]]:
        """The command that these words are for, and those that are left for it."""
        if words and words[0] in self.commands:
            return self.commands[words[0]].find(words[1:])
        return self, words

    def for_click(self) -> click.Command:
        """The same group of click's."""
        import click

        group: click.Group = click.group(**self._settings)(self._function)
        for command in self.commands.values():
            group.add_command(command.for_click())
        return group


def command(**settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """A decorator that makes a command of a function."""
    return lambda function: Command(function, **settings)


def group(**settings: Any) -> Callable[[Callable[..., Any]], Group]:
    """A decorator that makes a group of a function, which does nothing itself."""
    return lambda function: Group(function, **settings)


def _is_option(word: str) -> bool:
    return word[:1] == "-" and word != "-"


def _is_same(path: str, output: str) -> bool:
    try:
        status = os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)
        return os.path.isfile(output) and os.path.samestat(status, os.stat(output))
    except (OSError, ValueError):  # a text that is no path, or no standard input
        return False
