import JSON
import ObjectModel

/// A schema as a client sent it.
struct SchemaDocument: Equatable {
    /// The revision that the schema was made from, if it is stated.
    var revision: UInt64?
    /// The classes. Its own revision is 0: the store counts.
    var schema = Schema()

    /// Where the class of a name stands in the document.
    func place(_ name: String) -> JSONPointer? {
        schema.classes.firstIndex { $0.name == name }.map {
            JSONPointer().appending("classes").appending(index: $0)
        }
    }
}
