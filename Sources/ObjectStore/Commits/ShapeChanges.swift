/// The classes, properties and projections that have another shape after a change of the schema. Readers of objects that show them have to learn
/// them again. Indexes, unique and required properties, defaults, deletion rules, wider enums and new classes do not change a shape.
package struct ShapeChanges: Equatable, Sendable {
    /// The numbers of the classes with changes that the other members do not describe; nil if any class and any projection may have changed.
    package var classes: Set<UInt32>? = []
    /// The names of the projections that were added, changed or dropped.
    package var projections: Set<String> = []
    /// The numbers of the properties that were added or renamed. Only objects that show them look different.
    package var properties: Set<UInt32> = []
    /// The numbers of the classes that have another name.
    package var renamedClasses: Set<UInt32> = []

    /// The changes that entries of the change log stand for which earlier versions wrote.
    static let any = ShapeChanges(classes: nil)

    /// Whether no shape has changed.
    package var isEmpty: Bool {
        classes == [] && projections.isEmpty && properties.isEmpty && renamedClasses.isEmpty
    }

    /// Whether only projections have changed.
    package var isOfProjections: Bool {
        classes == [] && properties.isEmpty && renamedClasses.isEmpty
    }

    /// Adds what another change of the schema has changed.
    mutating func formUnion(_ other: ShapeChanges) {
        if let added = other.classes { classes?.formUnion(added) } else { classes = nil }
        projections.formUnion(other.projections)
        properties.formUnion(other.properties)
        renamedClasses.formUnion(other.renamedClasses)
    }
}
