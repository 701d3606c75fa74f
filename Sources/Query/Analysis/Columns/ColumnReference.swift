/// A column that an evaluation needs: a property of a class, or which objects a class has.
package struct ColumnReference: Hashable, Sendable {
    /// The class, by position in the schema.
    package var classIndex: Int
    /// The property, by position in its class; −1 for which objects there are.
    package var member: Int

    /// Which objects a class has.
    package static func presence(_ classIndex: Int) -> ColumnReference {
        ColumnReference(classIndex: classIndex, member: -1)
    }

    /// Feeds both numbers as one, which has few bits of each: a query asks for its columns again and again.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(classIndex << 32 ^ member)
    }

    /// Makes a reference.
    package init(classIndex: Int, member: Int) {
        self.classIndex = classIndex
        self.member = member
    }
}
