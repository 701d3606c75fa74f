import HoldfastQuery
import HoldfastRows

/// The properties for which the change log keeps former values of changed and deleted objects. A catch-up uses them to
/// decide which users could read an object that has changed since. Immutable; any thread may use it.
///
/// A record lists the values that it has, so that readers of the log do not need to know the settings of that time.
package final class LoggedProperties: Sendable {
    private let numbers: Set<UInt32>

    /// Makes the set from properties that rules read.
    ///
    /// - Parameters:
    ///   - reads: The properties. Embedded objects are kept with the properties that hold them, primary keys anyway.
    ///   - schema: The schema that the reads are of. A property stays the same in later ones.
    package init(_ reads: some Sequence<Dependency>, of schema: RowSchema) {
        var numbers: Set<UInt32> = []
        for read in reads {
            let rowClass = schema.classes[read.classIndex]
            guard rowClass.definition.kind == .object, read.member != rowClass.primaryKeyIndex,
                rowClass.members[read.member].storage.shape != .none
            else { continue }
            numbers.insert(rowClass.members[read.member].number)
        }
        self.numbers = numbers
    }

    /// The properties of each class, by position; empty if there are no properties at all.
    func members(of schema: RowSchema) -> [MemberSet] {
        if numbers.isEmpty { return [] }
        return schema.classes.map { rowClass in
            MemberSet(
                rowClass.members.indices.filter { numbers.contains(rowClass.members[$0].number) })
        }
    }
}
