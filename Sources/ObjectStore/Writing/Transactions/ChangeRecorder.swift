import HoldfastRows

/// The records of a transaction's changes, one for each object.
struct ChangeRecorder: ~Copyable {
    private struct Object: Hashable {
        let classNumber: UInt32
        let key: UInt64
    }

    /// The changed objects, each once, in the order of their first change.
    private(set) var changes: [ChangeRecord] = []
    /// The records that an attempt altered, in their earlier form. The number of records shows the ones that it added.
    var undo = UndoLog<(position: Int, before: ChangeRecord)>()
    /// The positions of changes in ``changes``, once there are many changes and one was looked up.
    private var positions: [Object: Int] = [:]
    /// The number of changes that are entered there: only the first ones, or zero.
    private var enteredCount = 0
    private static let searchedCountMax = 16

    // MARK: Recording

    /// Records an object that was created. An object key is never used again, so no record of it exists.
    mutating func inserted(_ rowClass: RowClass, _ key: UInt64) {
        changes.append(ChangeRecord(.insert, rowClass, key))
    }

    /// Records an object that was changed.
    ///
    /// - `members`: The properties that differ.
    /// - `lists`: The changes of lists that were not replaced.
    /// - `former`: The former values that are logged.
    mutating func updated(
        _ rowClass: RowClass, _ key: UInt64, _ members: MemberSet, lists: [ListChange],
        former: [PastValue]
    ) {
        var numbers: [UInt32] = []
        for (member, compiled) in rowClass.members.enumerated() where members.contains(member) {
            numbers.append(compiled.number)
        }
        guard let position = position(rowClass.number, key) else {
            var change = ChangeRecord(.update, rowClass, key)
            change.properties = numbers
            change.lists = lists
            change.former = former
            changes.append(change)
            return
        }
        alter(position) { if $0.kind == .update { $0.add(numbers, lists, former) } }
    }

    /// Records an object that was deleted.
    ///
    /// - `primaryKey`: As in ``ChangeRecord/primaryKey``.
    /// - `former`: The logged values of properties at the end.
    mutating func deleted(
        _ rowClass: RowClass, _ key: UInt64, primaryKey: [UInt8], former: [PastValue]
    ) {
        var change = ChangeRecord(.delete, rowClass, key)
        change.primaryKey = primaryKey
        guard let position = position(rowClass.number, key) else {
            change.former = former
            changes.append(change)
            return
        }
        alter(position) { before in
            // An object that the transaction made has no former values. The former values of a changed object were noted at the
            // change.
            if before.kind == .update {
                let changed = before.properties
                change.former = before.former + former.filter { !changed.contains($0.property) }
            }
            before = change
        }
    }

    /// Whether a property is recorded as changed, or the object as created.
    ///
    /// - `property`: The property's number.
    mutating func hasChange(of property: UInt32, _ rowClass: RowClass, _ key: UInt64) -> Bool {
        guard let position = position(rowClass.number, key) else { return false }
        return changes[position].kind == .insert || changes[position].properties.contains(property)
    }

    private mutating func alter(_ position: Int, _ body: (inout ChangeRecord) -> Void) {
        undo.note((position, changes[position]))
        body(&changes[position])
    }

    private mutating func position(_ classNumber: UInt32, _ key: UInt64) -> Int? {
        if changes.count <= Self.searchedCountMax {
            return changes.firstIndex { $0.key == key && $0.classNumber == classNumber }
        }
        while enteredCount < changes.count {
            positions[object(of: enteredCount)] = enteredCount
            enteredCount += 1
        }
        return positions[Object(classNumber: classNumber, key: key)]
    }

    private func object(of position: Int) -> Object {
        Object(classNumber: changes[position].classNumber, key: changes[position].key)
    }

    // MARK: Taking back

    /// Reverts the records of an attempt.
    ///
    /// - `count`: How many changes there were before it.
    mutating func rollBack(to count: Int) {
        while let (position, before) = undo.popLast() { changes[position] = before }
        truncate(to: count)
    }

    /// Forgets everything.
    mutating func removeAll() { truncate(to: 0) }

    private mutating func truncate(to count: Int) {
        if count <= Self.searchedCountMax, enteredCount > 0 {
            positions.removeAll()
            enteredCount = 0
        }
        while enteredCount > count {
            enteredCount -= 1
            positions[object(of: enteredCount)] = nil
        }
        if changes.count > count { changes.removeSubrange(count...) }
    }
}

extension ChangeRecord {
    fileprivate init(_ kind: Kind, _ rowClass: RowClass, _ key: UInt64) {
        self.init(
            kind: kind, classNumber: rowClass.number, key: key, properties: [], primaryKey: [])
    }
}
