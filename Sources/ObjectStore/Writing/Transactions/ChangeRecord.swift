import HoldfastRows

/// The change of one object by a transaction.
package struct ChangeRecord: Sendable {
    /// The kinds of change. Raw values are part of the storage format.
    package enum Kind: UInt8, Sendable {
        case insert = 1
        case update = 2
        case delete = 3
    }

    package var kind: Kind
    package var classNumber: UInt32
    package var key: UInt64
    /// For an update, the numbers of the class's own top-level properties that changed.
    package var properties: [UInt32]
    /// For a deletion, the object's primary key: 0 for null, or 1 and the stored bytes; empty for a class without one.
    package var primaryKey: [UInt8]
    /// For an update, the changes of lists. A list among ``properties`` that is not here was replaced.
    package var lists: [ListChange] = []
    /// For an update and a deletion, the former values of logged properties (``LoggedProperties``): of the changed ones, or of
    /// all. A value that is not here is not known.
    package var former: [PastValue] = []

    /// The properties that an update changed, as members of the object's class.
    func members(ofClass index: Int, _ schema: RowSchema) -> MemberSet {
        var members = MemberSet()
        for number in properties {
            if let location = schema.memberByNumber[number], location.classIndex == index {
                members.insert(location.member)
            }
        }
        return members
    }

    /// Adds another update of the object.
    mutating func add(_ numbers: [UInt32], _ lists: [ListChange], _ former: [PastValue]) {
        self.former += former.filter { !properties.contains($0.property) }
        for number in numbers {
            let change = lists.first { $0.property == number }
            guard properties.contains(number) else {
                properties.append(number)
                if let change { self.lists.append(change) }
                continue
            }
            guard let position = self.lists.firstIndex(where: { $0.property == number }) else {
                continue
            }
            if let change { self.lists[position].edits.append(change.edits) }
            if change == nil || self.lists[position].edits.isReplaced {
                self.lists.remove(at: position)
            }
        }
    }
}

/// An object that lost an incoming link, by deletion or change of the origin.
package struct LostLink: Hashable, Sendable {
    /// The target's class, by number.
    package var classNumber: UInt32
    /// The target's object key.
    package var key: UInt64
    /// The property that held the link.
    package var propertyNumber: UInt32
}

/// The value that a property of an object had before a transaction changed or deleted the object.
package struct PastValue: Equatable, Sendable {
    /// The property's number.
    package var property: UInt32
    /// 0 for null, or 1 and the stored bytes.
    package var tagged: [UInt8]
}
