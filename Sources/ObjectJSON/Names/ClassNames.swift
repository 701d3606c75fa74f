import Rows

/// The property names of one class, in the forms that the reader looks up and the writer writes.
package final class ClassNames: Sendable {
    /// The class.
    package let rowClass: RowClass
    /// Its properties by name, in the order of the class.
    package let properties: NameTable
    /// What a reply holds of an object when the request does not say: every stored property, and
    /// `$id` where the class has no primary key.
    package let everything: FieldSelection

    package init(_ rowClass: RowClass) {
        self.rowClass = rowClass
        properties = rowClass.names
        everything = FieldSelection(everythingOf: rowClass)
    }

    /// The position of the property with this name, which is likely to stand at `next`.
    package func member(named name: UnsafeRawBufferPointer, next: Int = 0) -> Int? {
        properties.position(of: name, next: next)
    }
}
