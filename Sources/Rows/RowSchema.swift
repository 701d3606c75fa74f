import HoldfastObjectModel

/// The classes of a store, compiled for reading and writing rows. Immutable; safe to use from any thread.
package final class RowSchema: Sendable {
    /// The schema as declared.
    package let definition: Schema
    /// The projections of its classes, in the order of their creation.
    package let projections: [Projection]
    /// The classes, in the order of the schema.
    package let classes: [RowClass]
    /// The positions of the classes that cannot be found by name.
    private let unknown: Set<Int>
    /// The position of each class by name.
    package let classIndex: [ExactText: Int]
    /// The position of each class by its number.
    package let classIndexByNumber: [UInt32: Int]
    /// The class and member position of each property by its number.
    package let memberByNumber: [UInt32: (classIndex: Int, member: Int)]
    /// The complete schema if this one lacks names of it; otherwise nil. It is retained so that no other schema gets its
    /// identity.
    private let base: RowSchema?
    private let baseIdentity: ObjectIdentifier?
    /// Whether any class is asymmetric. Links may then come from objects that are never read.
    package let hasAsymmetricClass: Bool

    /// Makes a compiled schema; `classes` are in the order of `definition.classes`.
    ///
    /// - `part`: The complete schema, and the classes whose names this one lacks; nil if this one is complete.
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

    /// Makes a schema without some names: they cannot be looked up, and the definition lacks them. Positions and numbers are the
    /// same as in the complete schema.
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

    /// Returns the positions of the classes whose objects contain embedded objects of a class, see ``Schema/owners(of:)``.
    package func ownerClasses(of embedded: Int) -> [Int] {
        definition.owners(of: classes[embedded].definition.name).compactMap { classIndex[$0.name] }
    }

    /// Distinguishes schemas whose positions may differ. Schemas that lack names of one schema share its identity.
    package var identity: ObjectIdentifier { baseIdentity ?? ObjectIdentifier(self) }

    /// The classes that can be found by name.
    package var knownClasses: some Sequence<RowClass> {
        classes.lazy.filter { !self.unknown.contains($0.index) }
    }

    /// Whether a class can be found by name.
    package func knows(_ classIndex: Int) -> Bool { !unknown.contains(classIndex) }

    package func rowClass(named name: String) -> RowClass? { classIndex[name].map { classes[$0] } }
}

/// The names of a schema that a principal does not know: classes and properties that it may read on no object, and names that
/// lead only there.
///
/// For that principal they are like any name that the schema lacks (``RowSchema/init(_:without:)``).
package struct UnknownNames: Hashable, Sendable {
    /// The classes, by position.
    package private(set) var classes: Set<Int>
    /// The properties of classes, by position; no set is empty.
    package private(set) var properties: [Int: MemberSet]

    /// Adds to the given names the embedded classes that only unknown properties hold, the links to unknown classes, and the
    /// inverse links of such links. Cost: linear in the schema.
    ///
    /// - Parameters:
    ///   - classes: The classes of independent objects that may not be read, by position.
    ///   - properties: The properties that may be read on no object of their class, by class.
    ///   - schema: The schema that the names belong to.
    package init(classes: Set<Int>, properties: [Int: MemberSet], of schema: RowSchema) {
        self.classes = classes
        self.properties = properties.filter { !$0.value.isEmpty }
        hideEmbeddedClasses(schema)
        for inverse in [false, true] {
            for rowClass in schema.classes {
                for (member, compiled) in rowClass.members.enumerated()
                where (compiled.originProperty >= 0) == inverse && compiled.classIndex >= 0 {
                    guard
                        self.classes.contains(compiled.classIndex)
                            || inverse && lacks(compiled.originProperty, of: compiled.classIndex)
                    else { continue }
                    self.properties[rowClass.index, default: MemberSet()].insert(member)
                }
            }
        }
    }

    /// Whether every name is known.
    package var isEmpty: Bool { classes.isEmpty && properties.isEmpty }

    private func lacks(_ member: Int, of classIndex: Int) -> Bool {
        properties[classIndex]?.contains(member) ?? false
    }

    private mutating func hideEmbeddedClasses(_ schema: RowSchema) {
        var known = schema.classes.filter {
            $0.definition.kind != .embedded && !classes.contains($0.index)
        }
        var held = Set(known.map(\.index))
        while let rowClass = known.popLast() {
            for (member, compiled) in rowClass.members.enumerated()
            where compiled.isEmbedded && !lacks(member, of: rowClass.index) {
                if held.insert(compiled.classIndex).inserted {
                    known.append(schema.classes[compiled.classIndex])
                }
            }
        }
        for rowClass in schema.classes where !held.contains(rowClass.index) {
            classes.insert(rowClass.index)
        }
    }

    /// Returns the definition of a schema without the names.
    func removed(from schema: RowSchema) -> Schema {
        var result = schema.definition
        result.classes = schema.classes.filter { !classes.contains($0.index) }.map { rowClass in
            var left = rowClass.definition
            guard let unknown = properties[rowClass.index] else { return left }
            left.properties = left.properties.indices.filter { !unknown.contains($0) }.map {
                left.properties[$0]
            }
            // A unique group with an unknown property is removed, as it could reveal that property.
            let names = Set(texts: left.properties.map(\.name))
            left.uniqueGroups.removeAll { !$0.allSatisfy { names.contains($0) } }
            return left
        }
        return result
    }

    /// Returns the projections that show only known classes and properties.
    func left(of projections: [Projection], in definition: Schema) -> [Projection] {
        var left = projections
        // A projection that uses a removed one is removed as well.
        while true {
            let faults = Set(texts: Projection.faults(of: left, in: definition).map(\.projection))
            if faults.isEmpty { return left }
            left.removeAll { faults.contains($0.name) }
        }
    }
}
