import ObjectJSON
import Rows

/// The steps of a JSON patch that change single elements of out-of-line collections, which is
/// done where they lie; the other steps change the object as JSON.
struct ElementSteps {
    /// One of them.
    struct Step {
        /// Its position in the patch.
        var index: Int
        var member: Int
        /// The step of its path behind the collection: an index, `-` or a key.
        var place: String
        /// What follows: a path into an embedded object.
        var rest: [String]
    }

    private(set) var steps: [Step] = []
    /// The out-of-line collections of which no other step needs the elements: they are not shown as JSON.
    private(set) var leftOut = MemberSet()
    /// The names of those that keep what is stored, but for ``steps``.
    private(set) var names: [String] = []
    /// The names of those that a step replaces before any other looks at them.
    private(set) var replaced: [String] = []
    /// The others, which are shown as JSON.
    private(set) var shown: [Int] = []
    /// Whether there is no other step.
    private(set) var isWhole = false

    /// Nil when the object has no such collection, or a step is about the whole object.
    init?(_ patch: JSONPatch, _ rowClass: RowClass, _ row: RowView) {
        guard row.holdsOverflow else { return nil }
        var overflow: [String: Int] = [:]
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.isInHeap && compiled.storage.shape != .single {
            if rowClass.field(member, in: row).isOutOfLine {
                overflow[rowClass.definition.properties[member].name] = member
            }
        }
        guard !overflow.isEmpty else { return nil }
        var needed: Set<Int> = []
        var replacedMembers: Set<Int> = []
        var candidates: [Step] = []
        for (index, operation) in patch.operations.enumerated() {
            let paths = [operation.path] + (operation.hasFrom ? [operation.from] : [])
            if paths.contains(where: \.isEmpty) { return nil }
            let members = paths.compactMap { overflow[$0[0]] }
            guard let member = members.first else { continue }
            let isElement =
                !operation.hasFrom && operation.path.count >= 2
                && (operation.path.count == 2
                    || rowClass.members[member].storage.element == .embedded)
            if isElement {
                candidates.append(
                    Step(
                        index: index, member: member, place: operation.path[1],
                        rest: Array(operation.path[2...])))
            } else {
                let isReplacing =
                    !operation.hasFrom && operation.path.count == 1
                    && [.add, .replace].contains(operation.kind)
                let isFirst =
                    !needed.contains(member) && !candidates.contains { $0.member == member }
                if isReplacing, isFirst { replacedMembers.insert(member) }
                needed.formUnion(members)
            }
        }
        steps = candidates.filter { !needed.contains($0.member) }
        for (name, member) in overflow {
            if needed.contains(member), !replacedMembers.contains(member) {
                shown.append(member)
                continue
            }
            leftOut.insert(member)
            if needed.contains(member) { replaced.append(name) } else { names.append(name) }
        }
        isWhole = steps.count == patch.operations.count
    }
}

extension JSONPatch.Operation {
    /// Whether ``from`` has a meaning.
    fileprivate var hasFrom: Bool { kind == .move || kind == .copy }
}
