import HoldfastJSON
import HoldfastObjectModel

/// A schema as a client sent it.
package struct SchemaDocument: Equatable {
    /// The revision that the schema was made from, if it is stated.
    package var revision: UInt64?
    /// The classes. Its own revision is 0: the store counts.
    package var schema = Schema()
    /// The names that are new names of stored classes and properties.
    package var renames = SchemaRenames()

    /// Finds the position of a part of the schema in the document.
    package func pointer(of subject: SchemaSubject) -> JSONPointer? {
        switch subject {
        case .className(let name):
            schema.classes.firstIndex { $0.name.isSame(as: name) }.map {
                JSONPointer().appending("classes").appending(index: $0)
            }
        case .rename(let old): JSONPointer().appending("renames").appending(old)
        }
    }
}
