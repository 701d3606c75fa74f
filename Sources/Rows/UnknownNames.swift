import HoldfastObjectModel

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
