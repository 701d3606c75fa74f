import HoldfastObjectModel

/// The classes of a store, made ready for rows. Immutable; safe to use from any thread.
package final class RowSchema: Sendable {
    /// The schema as declared.
    package let definition: Schema
    /// The projections of its classes, in the order in which they were made.
    package let projections: [Projection]
    /// The classes, in the order of the schema.
    package let classes: [RowClass]
    /// The position of each class by name.
    package let classIndex: [String: Int]
    /// The position of each class by its number.
    package let classIndexByNumber: [UInt32: Int]
    /// The class and member position of each property by its number.
    package let memberByNumber: [UInt32: (classIndex: Int, member: Int)]
    /// Whether any class is asymmetric, so that links may come from objects that are never read.
    package let hasAsymmetricClass: Bool

    /// Makes a compiled schema; `classes` are in the order of `definition.classes`.
    package init(definition: Schema, classes: [RowClass], projections: [Projection] = []) {
        self.definition = definition
        self.projections = projections
        self.classes = classes
        var classIndex = [String: Int](minimumCapacity: classes.count)
        var classIndexByNumber = [UInt32: Int](minimumCapacity: classes.count)
        var memberByNumber = [UInt32: (classIndex: Int, member: Int)](
            minimumCapacity: classes.reduce(0) { $0 + $1.members.count })
        for (position, rowClass) in classes.enumerated() {
            classIndex[rowClass.definition.name] = position
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

    /// Returns the classes whose objects hold embedded ones of a class, by position, see ``Schema/owners(of:)``.
    package func ownerClasses(of embedded: Int) -> [Int] {
        definition.owners(of: classes[embedded].definition.name).compactMap { classIndex[$0.name] }
    }

    /// Returns the class of a name.
    package func rowClass(named name: String) -> RowClass? {
        classIndex[name].map { classes[$0] }
    }
}
