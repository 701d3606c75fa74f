/// The classes and projections whose shape a change of the schema has changed: readers of their objects have to
/// learn it anew. Indexes, what is unique or required, defaults and rules for deletion are no part of a shape.
package struct ShapeChanges: Equatable, Sendable {
    /// The numbers of the classes; nil when it may be any class, and any projection.
    package var classes: Set<UInt32>? = []
    /// The names of the projections that were added, changed or dropped.
    package var projections: Set<String> = []

    /// The changes that entries of the change log stand for which earlier versions wrote.
    static let any = ShapeChanges(classes: nil)

    /// Whether no shape has changed.
    package var isEmpty: Bool { classes == [] && projections.isEmpty }

    /// Adds what another change of the schema has changed.
    mutating func formUnion(_ other: ShapeChanges) {
        if let added = other.classes { classes?.formUnion(added) } else { classes = nil }
        projections.formUnion(other.projections)
    }
}
