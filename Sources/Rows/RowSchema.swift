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

/// The names of a schema that somebody does not know: of what they may read nowhere, and of what leads there alone.
///
/// To them they are names as any others that the schema lacks (``RowSchema/init(_:without:)``).
package struct UnknownNames: Hashable, Sendable {
    /// The classes, by position.
    package private(set) var classes: Set<Int>
    /// The properties of classes, by positions; no set is empty.
    package private(set) var properties: [Int: MemberSet]

    /// Adds to what may be read nowhere the embedded classes that are held nowhere else, the links to such classes, and the inverse
    /// links of such links. Cost: linear in the schema.
    ///
    /// - Parameters:
    ///   - classes: Those that stand alone and may not be read, by position.
    ///   - properties: By class those that may be read on none of its objects.
    ///   - schema: The schema whose names they are.
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
                            || inverse
                                && lacks(compiled.originProperty, of: compiled.classIndex)
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
            // What may not be read with others is nobody's group.
            let names = Set(texts: left.properties.map(\.name))
            left.uniqueGroups.removeAll { !$0.allSatisfy { names.contains($0) } }
            return left
        }
        return result
    }

    /// Returns the projections that show nothing but what is known.
    func left(of projections: [Projection], in definition: Schema) -> [Projection] {
        var left = projections
        // One that shows another is gone with it.
        while true {
            let faults = Set(
                texts: Projection.faults(of: left, in: definition).map(\.projection))
            if faults.isEmpty { return left }
            left.removeAll { faults.contains($0.name) }
        }
    }
}
