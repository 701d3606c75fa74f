"""Streams that tell less, by `keyPaths`, or more, by `old`."""
from client import parameter
from model_forms import Form, without


class KeyPathForm(Form):
    """The objects of a query, of which updates of some paths alone are told: what these lead to is compared."""

    def __init__(self, name, path, parameters, key_and_paths):
        key, paths = key_and_paths
        super().__init__(name, path, parameters + parameter("keyPaths", paths))
        asked = without(parameters, "fields", "expand")
        self.asked = Form(name, path, asked + parameter("fields", f"{key},{paths}"))

    def truth(self, connection):
        return self.asked.truth(connection)

    def begun(self, truth):
        # It has no more of the objects than the paths lead to, which is all that is compared.
        return dict(truth)

    def shown(self, state, truth):
        return {key: reduced(value, truth.get(key)) for key, value in state.items()}, truth


def reduced(value, like):
    """Of a value what another one has."""
    if isinstance(value, dict) and isinstance(like, dict):
        return {key: reduced(value.get(key), like[key]) for key in like}
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [reduced(*pair) for pair in zip(value, like)]
    return value


class OldForm(Form):
    """The objects of a query with `old=true`: live, an update says what its client holds of what has changed."""

    def __init__(self, name, path, parameters):
        super().__init__(name, path, parameters + "&old=true")
        self.asked = Form(name, path, without(parameters, "keyPaths"))

    def truth(self, connection):
        return self.asked.truth(connection)

    def take(self, state, name, data, has_id):
        if name == "change":
            for entry in data["changes"]:
                if entry["op"] == "update" and (has_id or "old" in entry):
                    self.compare(state[self.key(entry)], entry)
        super().take(state, name, data, has_id)

    def compare(self, held, entry):
        old = entry["old"]
        for name in entry["changed"]:
            if held.get(name) != old.get(name):
                raise ValueError(f"held {name} {held.get(name)} of {entry['id']}, told old {old.get(name)}")
        if not set(old) <= set(entry["changed"]):
            raise ValueError(f"old of what has not changed: {old}")
