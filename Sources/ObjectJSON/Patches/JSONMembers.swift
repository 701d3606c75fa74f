/// The members of a JSON object that is changed: in their order, and found by name in constant time however
/// many there are. One thread at a time uses them.
package final class JSONMembers {
    /// Nil where one was removed.
    private var members: [(name: [UInt8], value: JSONNode)?]
    /// How many are there.
    private(set) var count: Int
    /// Where a name stands, of objects that are large enough; made when the first one is looked for.
    private var positions: [[UInt8]: Int]?

    /// So few are compared one by one.
    private static let scannedCountMax = 16

    package init(_ members: [(name: [UInt8], value: JSONNode)]) {
        self.members = members
        count = members.count
    }

    /// Every member in order.
    var all: some Sequence<(name: [UInt8], value: JSONNode)> { members.lazy.compactMap { $0 } }

    /// The value of a member; the first one's where a name is repeated.
    package subscript(name: [UInt8]) -> JSONNode? {
        position(of: name).flatMap { members[$0]?.value }
    }

    /// Gives a member its value, at the end if it is new.
    package func set(_ name: [UInt8], _ value: JSONNode) {
        if let position = position(of: name) {
            members[position] = (name, value)
            return
        }
        positions?[name] = members.count
        members.append((name, value))
        count += 1
    }

    /// Removes a member that is there.
    func remove(_ name: [UInt8]) {
        guard let position = position(of: name) else { return }
        members[position] = nil
        count -= 1
        positions?[name] = nil
        guard members.count > 2 * count + Self.scannedCountMax else { return }
        // Gaps that are closed only when they are as many as members cost nothing much each.
        members.removeAll { $0 == nil }
        positions = nil
    }

    private func position(of name: [UInt8]) -> Int? {
        guard members.count > Self.scannedCountMax else {
            return members.firstIndex { $0?.name == name }
        }
        if let positions { return positions[name] }
        var found: [[UInt8]: Int] = [:]
        found.reserveCapacity(members.count)
        for (position, member) in members.enumerated() {
            if let member, found[member.name] == nil { found[member.name] = position }
        }
        positions = found
        return found[name]
    }
}
