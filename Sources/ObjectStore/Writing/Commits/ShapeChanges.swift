import HoldfastRows

/// The parts of a schema that have another shape after a change of it. Readers of objects that show these parts, or decide by
/// them, have to learn them again. Indexes, unique and required properties, defaults, deletion rules, wider enums and new classes
/// do not change a shape.
///
/// Classes and properties are named by their numbers, which are never used again.
package struct ShapeChanges: Equatable, Sendable {
    /// The classes whose objects are gone or have other keys.
    package var classes: Set<UInt32> = []
    /// The names of the projections that were added, changed or dropped.
    package var projections: Set<String> = []
    /// The properties that are new, or that have other values than before.
    package var properties: Set<UInt32> = []
    /// The properties that have another name. Only objects that show them look different.
    package var renamedProperties: Set<UInt32> = []
    /// The classes that have another name.
    package var renamedClasses: Set<UInt32> = []
    /// The classes that lost a property. Only objects that are shown with everything look different.
    package var reducedClasses: Set<UInt32> = []
    /// The classes whose objects may have lost incoming links. Only the count of all links to an object shows that.
    package var unlinkedClasses: Set<UInt32> = []
    /// The embedded classes whose objects were written again, so that former values of the properties that contain them can't be
    /// read.
    package var rewrittenClasses: Set<UInt32> = []
    /// For each class, the names of properties that now mean another property or no property.
    package var freedNames: [UInt32: Set<String>] = [:]
    /// The names of classes that now mean another class or no class.
    package var freedClassNames: Set<String> = []

    package var isEmpty: Bool { self == ShapeChanges() }

    /// Whether no object looks different that is shown with everything.
    package var leavesWholeObjects: Bool {
        classes.isEmpty && properties.isEmpty && renamedProperties.isEmpty && renamedClasses.isEmpty
            && reducedClasses.isEmpty
    }

    /// Whether one of some properties has other values than before, or has taken the name of another one.
    ///
    /// - `numbers`: Their numbers, in a schema that follows.
    package func changes(anyOf numbers: Set<UInt32>, _ schema: RowSchema) -> Bool {
        if !properties.isDisjoint(with: numbers) { return true }
        if freedNames.isEmpty { return false }
        return numbers.contains { number in
            guard let place = schema.memberByNumber[number],
                let freed = freedNames[schema.classes[place.classIndex].number]
            else { return false }
            let definition = schema.classes[place.classIndex].definition.properties[place.member]
            return freed.contains(definition.name) || definition.mapTo.map(freed.contains) ?? false
        }
    }

    /// Adds the effects of another change of the schema.
    mutating func formUnion(_ other: ShapeChanges) {
        classes.formUnion(other.classes)
        projections.formUnion(other.projections)
        properties.formUnion(other.properties)
        renamedProperties.formUnion(other.renamedProperties)
        renamedClasses.formUnion(other.renamedClasses)
        reducedClasses.formUnion(other.reducedClasses)
        unlinkedClasses.formUnion(other.unlinkedClasses)
        rewrittenClasses.formUnion(other.rewrittenClasses)
        freedNames.merge(other.freedNames) { $0.union($1) }
        freedClassNames.formUnion(other.freedClassNames)
    }
}
