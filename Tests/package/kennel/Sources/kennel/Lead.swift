import Holdfast
import JSON
import Query
import Storage

/// A class that nothing refers to.
class Lead: Object {
    @Persisted var length = 1.5
    @Persisted var makers = [JSON.name, Storage.name].joined(separator: " ")
}
