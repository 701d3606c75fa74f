import HoldfastObjectModel

/// The classes of a store, made ready for rows. Immutable; safe to use from any thread.
package final class RowSchema: Sendable {
    /// The schema as declared.
    package let definition: Schema
    /// The projections of its classes, in the order in which they were made.
    package let projections: [Projection]
    /// The classes, in the order of the schema.
    package let classes: [RowClass]
    /// The classes that are unknown by their names, by position.
    private let unknown: Set<Int>
    /// The position of each class by name.
    package let classIndex: [ExactText: Int]
    /// The position of each class by its number.
    package let classIndexByNumber: [UInt32: Int]
    /// The class and member position of each property by its number.
    package let memberByNumber: [UInt32: (classIndex: Int, member: Int)]
    /// The schema of which this one lacks names, which is held so that no other has its identity; nil of a whole one.
    private let base: RowSchema?
    private let baseIdentity: ObjectIdentifier?
    /// Whether any class is asymmetric, so that links may come from objects that are never read.
    package let hasAsymmetricClass: Bool

    /// Makes a compiled schema; `classes` are in the order of `definition.classes`.
    ///
    /// - `part`: The schema with all of its names, and the classes whose names this one lacks; nil for a whole one.
    package init(
        definition: Schema, classes: [RowClass], projections: [Projection] = [],
        part: (base: RowSchema, unknown: Set<Int>)? = nil
    ) {
        base = part?.base
        baseIdentity = part.map { ObjectIdentifier($0.base) }
        unknown = part?.unknown ?? []
        self.definition = definition
        self.projections = projections
        self.classes = classes
        var classIndex = [ExactText: Int](minimumCapacity: classes.count)
        var classIndexByNumber = [UInt32: Int](minimumCapacity: classes.count)
        var memberByNumber = [UInt32: (classIndex: Int, member: Int)](
            minimumCapacity: classes.reduce(0) { $0 + $1.members.count })
        for (position, rowClass) in classes.enumerated() {
            if !unknown.contains(position) { classIndex[rowClass.definition.name] = position }
            classIndexByNumber[rowClass.number] = position
            for (member, compiled) in rowClass.members.enumerated() {
                memberByNumber[compiled.number] = (position, member)
            }
        }
        self.classIndex = classIndex
        self.classIndexByNumber = classIndexByNumber
        self.memberByNumber = memberByNumber
        hasAsymmetricClass = classes.contains(where: \.isAsymmetric)
    }

    /// The schema as it is to somebody who does not know some of its names: nothing is found by them, and no definition has
    /// them. Positions and numbers are those of the whole schema.
    package convenience init(_ whole: RowSchema, without unknown: UnknownNames) {
        let definition = unknown.removed(from: whole)
        self.init(
            definition: definition,
            classes: whole.classes.map { rowClass in
                unknown.properties[rowClass.index].map { RowClass(rowClass, without: $0) }
                    ?? rowClass
            }, projections: unknown.left(of: whole.projections, in: definition),
            part: (whole, unknown.classes))
    }

    /// Returns the classes whose objects hold embedded ones of a class, by position, see ``Schema/owners(of:)``.
    package func ownerClasses(of embedded: Int) -> [Int] {
        definition.owners(of: classes[embedded].definition.name).compactMap { classIndex[$0.name] }
    }

    /// Tells schemas apart in which positions may differ; the same for all that lack names of one.
    package var identity: ObjectIdentifier { baseIdentity ?? ObjectIdentifier(self) }

    /// The classes that are known by their names.
    package var knownClasses: some Sequence<RowClass> {
        classes.lazy.filter { !self.unknown.contains($0.index) }
    }

    /// Whether a class is known by its name.
    package func knows(_ classIndex: Int) -> Bool { !unknown.contains(classIndex) }

    /// Returns the class of a name.
    package func rowClass(named name: String) -> RowClass? {
        classIndex[name].map { classes[$0] }
    }
}
