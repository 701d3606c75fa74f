import JSON
import ObjectModel

/// A schema as a client sent it.
package struct SchemaDocument: Equatable {
    /// The revision that the schema was made from, if it is stated.
    package var revision: UInt64?
    /// The classes. Its own revision is 0: the store counts.
    package var schema = Schema()
    /// Which of its names are new names of what is there.
    package var renames = SchemaRenames()

    /// Where something stands in the document.
    package func pointer(of subject: SchemaSubject) -> JSONPointer? {
        switch subject {
        case .className(let name):
            schema.classes.firstIndex { $0.name == name }.map {
                JSONPointer().appending("classes").appending(index: $0)
            }
        case .rename(let old): JSONPointer().appending("renames").appending(old)
        }
    }
}
