import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The change log between two versions, folded into one outcome for each object.
package struct FoldedChanges: Sendable {
    /// The outcome for one object.
    package struct Change: Sendable {
        /// Inserted, updated or deleted, seen from before the first to after the last version.
        package var kind: ChangeRecord.Kind
        /// The updated properties; for an insertion, the properties that were updated after it.
        package var members: MemberSet
        /// The primary key of a deleted object, see ``ChangeRecord/primaryKey``.
        package var primaryKey: [UInt8]
        /// The last version that changed it.
        package var version: UInt64
        /// The version that inserted it; 0 for an object that was there before.
        var insertedAt: UInt64 = 0
        /// The states before versions, as far as they are kept, in the versions' order.
        var former: [PastState] = []
        /// The properties that some version changed and that have an unknown former value.
        var forgotten = MemberSet()

        // Functions of members: a method would get a copy of a change, with references that threads share.

        /// Whether a change can take an object out of the results of a filter that reads some properties of it.
        @inline(__always)
        static func mayLeave(
            _ kind: ChangeRecord.Kind, _ members: MemberSet, reading own: MemberSet
        ) -> Bool {
            kind == .delete || !members.isDisjoint(with: own)
        }

        /// Whether each of some sets has a property with an unknown former value.
        @inline(__always)
        static func forgets(oneOfEach sets: [MemberSet], _ forgotten: MemberSet) -> Bool {
            sets.allSatisfy { !$0.isDisjoint(with: forgotten) }
        }
    }

    /// The objects in the order in which they were first changed.
    package private(set) var order: [ObjectIdentity] = []
    /// The outcome for each object, in the same order.
    package private(set) var outcomes: [Change] = []
    /// The position of each object.
    private var positions: [ObjectIdentity: Int] = [:]
    /// Objects that lost an incoming link.
    package private(set) var lostLinks: Set<LostLink> = []
    package private(set) var changedShapes = ShapeChanges()
    /// The edits of lists of updated objects, by member, if they were asked for.
    private var lists: [ObjectIdentity: [Int: ListEdits]] = [:]
    private let notesLists: Bool
    private let notesPast: Bool
    /// The maximum memory of former values that is read at once.
    package static let formerByteCountMax = 64 << 20
    /// The approximate memory of the states before versions.
    package private(set) var formerByteCount = 0
    /// The approximate memory of a value without its bytes.
    private static let valueByteCount = 96
    /// The version after which the changes begin.
    let start: UInt64
    /// The last version that is folded in.
    package private(set) var through: UInt64

    /// Whether more than one version is folded in.
    package var isOfSeveralVersions: Bool { through - start > 1 }

    /// The outcome for an object; nil for an object that did not change.
    package subscript(identity: ObjectIdentity) -> Change? {
        positions[identity].map { outcomes[$0] }
    }

    /// The position of an object; nil for an object that did not change.
    func position(of identity: ObjectIdentity) -> Int? { positions[identity] }

    package var changesSchema: Bool { !changedShapes.isEmpty }

    package var isEmpty: Bool { order.isEmpty && lostLinks.isEmpty && !changesSchema }

    /// The reason why the change log cannot be read from a version on.
    package enum Gap: Error {
        /// Its entry was removed: the cursor is too old.
        case expired
        /// The version does not exist yet.
        case future
        case storage(StorageError)
    }

    /// Reads the changes after `version`.
    ///
    /// - `last`: The last version to fold in; nil for the last that the transaction sees.
    /// - `objectCountMax`: Stops before the version that would exceed this number of objects, so that ``through`` may lie before
    ///   the transaction's version. A version is never split: the first version with changes is taken even if it is larger.
    /// - `recordCountMax`: Stops after this number of versions and changes of objects of any class, because reading takes time.
    /// - `classes`: The classes of the wanted objects, by position; nil for all.
    /// - `notesLists`: Whether ``edits(ofList:of:)`` will be called.
    /// - `formerByteCountMax`: Stops after the version with which the memory of former values reaches this number of bytes. With
    ///   0 no former values are kept, for callers that have the state before.
    package init(
        after version: UInt64, through last: UInt64? = nil, in transaction: ReadTransaction,
        objectCountMax: Int = .max, recordCountMax: Int = .max, classes: Set<Int>? = nil,
        notesLists: Bool = false, formerByteCountMax: Int = Self.formerByteCountMax
    ) throws(Gap) {
        (start, through) = (version, version)
        self.notesLists = notesLists
        notesPast = formerByteCountMax > 0
        let state: StoreState
        do { state = try transaction.state() } catch {
            if case .storage(let error) = error { throw .storage(error) }
            throw .expired
        }
        if version > state.version { throw .future }
        if version + 1 < state.logFirst { throw .expired }
        let end = min(last ?? .max, state.version)
        let key = ByteBuffer(capacity: 16)
        var recordCount = 0
        while through < end, recordCount < recordCountMax,
            !notesPast || formerByteCount < formerByteCountMax
        {
            key.removeAll()
            StoreKey.appendChangeLog(through + 1, to: key)
            let bytes: UnsafeRawBufferPointer?
            do { bytes = try transaction.snapshot.value(forKey: key.bytes) } catch {
                throw .storage(error)
            }
            // A missing entry would be a change that is never delivered.
            guard
                let entry = bytes.flatMap({
                    ChangeLogEntry($0, keepsPast: notesPast)
                })
            else {
                throw .storage(StorageError(.corrupted, operation: "read change log"))
            }
            if !order.isEmpty, order.count + entry.changes.count > objectCountMax { break }
            fold(entry, version: through + 1, transaction.rows, classes)
            if order.count >= objectCountMax { break }
            recordCount += 1 + entry.changes.count + entry.lostLinks.count
        }
    }

    private mutating func fold(
        _ entry: ChangeLogEntry, version: UInt64, _ schema: RowSchema, _ classes: Set<Int>?
    ) {
        through = version
        if !entry.changedShapes.isEmpty {
            changedShapes.formUnion(entry.changedShapes)
            forgetPast(holding: entry.changedShapes.rewrittenClasses, schema)
        }
        for record in entry.changes {
            guard let index = schema.classIndexByNumber[record.classNumber],
                classes?.contains(index) ?? true
            else { continue }
            let identity = ObjectIdentity(classIndex: index, key: record.key)
            let members = record.members(ofClass: index, schema)
            formerByteCount += record.former.reduce(0) {
                $0 + Self.valueByteCount + $1.tagged.count
            }
            if notesLists { foldLists(record, identity, schema) }
            guard let position = positions[identity] else {
                var change = Change(
                    kind: record.kind, members: members, primaryKey: record.primaryKey,
                    version: version, insertedAt: record.kind == .insert ? version : 0)
                if notesPast { change.notePast(record, members, version, schema) }
                positions[identity] = order.count
                order.append(identity)
                outcomes.append(change)
                continue
            }
            outcomes[position].version = version
            if notesPast { outcomes[position].notePast(record, members, version, schema) }
            if record.kind == .delete {
                outcomes[position].kind = .delete
                outcomes[position].primaryKey = record.primaryKey
            } else {
                outcomes[position].members.formUnion(members)
            }
        }
        if !entry.lostLinks.isEmpty { lostLinks.formUnion(entry.lostLinks) }
    }

    /// Drops the former values that contain objects of some embedded classes, by number: rows of these classes have lost the
    /// layouts in which the values were written.
    private mutating func forgetPast(holding rewritten: Set<UInt32>, _ schema: RowSchema) {
        if rewritten.isEmpty || !notesPast { return }
        let classes = schema.classes
        let holding = RowConverter.spread(classes.map { rewritten.contains($0.number) }) {
            classes[$0].members
        }
        let holders = classes.map { rowClass in
            MemberSet(
                rowClass.members.indices.filter {
                    rowClass.members[$0].isEmbedded && holding[rowClass.members[$0].classIndex]
                })
        }
        for (position, identity) in order.enumerated() {
            let members = holders[identity.classIndex]
            if !members.isEmpty { outcomes[position].forgetPast(members) }
        }
    }

    // MARK: Differences

    /// Keeps only the updated properties that differ between the two states: a property may have its former value again.
    ///
    /// - `before`, `after`: The states between which the changes lie, with one schema.
    package mutating func keepDifferences(from before: ReadTransaction, to after: ReadTransaction) {
        for position in outcomes.indices where outcomes[position].kind == .update {
            let identity = order[position]
            guard let old = before.row(classIndex: identity.classIndex, key: identity.key),
                let new = after.row(classIndex: identity.classIndex, key: identity.key)
            else { continue }
            let rowClass = after.rows.classes[identity.classIndex]
            var members = MemberSet()
            for member in rowClass.members.indices
            where outcomes[position].members.contains(member)
                && rowClass.differs(member, from: (old, before), to: (new, after))
            {
                members.insert(member)
            }
            outcomes[position].members = members
        }
    }

    // MARK: Lists

    /// The maximum number of splices that are kept of a list. With more, it counts as replaced.
    private static let spliceCountMax = 4_096

    private mutating func foldLists(
        _ record: ChangeRecord, _ identity: ObjectIdentity, _ schema: RowSchema
    ) {
        guard record.kind == .update else { return }
        for number in record.properties {
            guard let location = schema.memberByNumber[number],
                location.classIndex == identity.classIndex,
                schema.classes[location.classIndex].members[location.member].storage.shape == .list
            else { continue }
            let noted = record.lists.first { $0.property == number }
            var edits = lists[identity]?[location.member] ?? ListEdits()
            if let noted {
                edits.append(noted.edits, countMax: Self.spliceCountMax)
            } else {
                edits.replace()
            }
            lists[identity, default: [:]][location.member] = edits
        }
    }

    /// The edits of a list of an updated object; nil if it has no edits.
    ///
    /// - Precondition: The changes were folded with `notesLists`.
    package func edits(ofList member: Int, of identity: ObjectIdentity) -> ListEdits? {
        lists[identity]?[member]
    }
}

extension FoldedChanges {
    /// A changed object that may have had, or has, links through some property.
    struct Holder {
        let identity: ObjectIdentity
        /// Its properties that contain the links, or the embedded objects with them.
        let members: MemberSet
    }

    /// Finds the objects that may have other links through a property than before. Cost: linear in the changes.
    ///
    /// - Parameters:
    ///   - member: The property.
    ///   - origin: The property's class. If it is embedded, objects of any class contain it.
    ///   - version: Objects that have not changed after it are left out.
    ///   - schema: The schema.
    /// - Returns: The objects, in the order in which they were first changed.
    func holders(
        of member: Int, of origin: RowClass, since version: UInt64 = 0, _ schema: RowSchema
    ) -> [Holder] {
        zip(order, outcomes).compactMap { identity, change in
            guard change.version > version,
                origin.definition.kind == .embedded || identity.classIndex == origin.index
            else { return nil }
            let members = schema.classes[identity.classIndex].members(holding: member, of: origin)
            return change.kind == .update && change.members.isDisjoint(with: members)
                ? nil : Holder(identity: identity, members: members)
        }
    }
}

extension RowClass {
    /// The properties that hold embedded objects.
    var embeddingMembers: MemberSet {
        MemberSet(members.indices.filter { members[$0].storage.element == .embedded })
    }

    /// The properties of an object of the class that contain a property's values: this property, or the properties with embedded
    /// objects.
    func members(holding member: Int, of origin: RowClass) -> MemberSet {
        origin.definition.kind == .embedded ? embeddingMembers : MemberSet([member])
    }
}
