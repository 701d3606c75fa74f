import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Adds objects to a realm together with all unmanaged ones that they lead to.
///
/// Each object is added once, in the order in which links lead to it; links to those still to be added are checked when the
/// transaction ends, so cycles are possible.
final class ObjectGraph {
    let realm: RealmCore
    private let transaction: WriteTransaction
    private let policy: Realm.UpdatePolicy
    /// The objects to be added, in order.
    private var queue: [ObjectBase] = []
    private var next = 0
    /// The object keys of those in the queue that have no primary key; nil stands for one that has.
    private var keys: [ObjectIdentifier: UInt64?] = [:]
    /// The names of properties that are stated of an object, where others are to be kept.
    var stated: [ObjectIdentifier: Set<String>] = [:]

    init(_ realm: RealmCore, _ transaction: WriteTransaction, _ policy: Realm.UpdatePolicy) {
        self.realm = realm
        self.transaction = transaction
        self.policy = policy
    }

    var hasObjects: Bool { next < queue.count }

    /// Where an embedded object is about to be.
    enum EmbeddedUse { case link, element, entry }

    // MARK: Values

    func fail(_ message: String) { realm.fail(message) }

    /// Notes a fault of a value that is too long to be stored.
    func require(_ value: Value) {
        switch value {
        case .string(let text) where text.utf8.count > ModelLimits.valueByteCountMax:
            fail("String too big")
        case .data(let bytes) where bytes.count > ModelLimits.valueByteCountMax:
            fail("Binary too big")
        default: break
        }
    }

    /// The table of an object's class; nil, with a fault, where it is none of the realm's.
    func rowClass(of object: ObjectBase) -> RowClass? {
        guard let binding = realm.schema.binding(of: object.model.type) else {
            fail("Object type '\(object.model.name)' not managed by the Realm")
            return nil
        }
        return binding.rowClass
    }

    // MARK: Links

    /// Adds the link to an object, which is added to the realm if need be.
    ///
    /// - Returns: Whether it was added; else there is a fault.
    @discardableResult
    func addReference(
        to object: ObjectBase, _ statement: Statement, element: Int?,
        mixed: MixedLinkPosition? = nil
    ) -> Bool {
        guard let rowClass = rowClass(of: object) else { return false }
        if let place = object.place {
            guard place.realm === realm else {
                fail(
                    "Object is already managed by another Realm. Use create instead to copy it into this Realm."
                )
                return false
            }
            if place.isGone || realm.row(of: place) == nil {
                fail("Adding a deleted or invalidated object to a Realm is not permitted")
                return false
            }
            statement.draft.addReference(
                statement.member, element: element, mixed: mixed, objectKey: place.key)
            return true
        }
        guard let key = enqueue(object, rowClass) else { return false }
        if let key {
            statement.draft.addReference(
                statement.member, element: element, mixed: mixed, objectKey: key)
        } else {
            let draft = ObjectDraft(rowClass, isMerge: false)
            statePrimaryKey(of: object, rowClass, in: draft)
            statement.draft.addReference(statement.member, element: element, mixed: mixed) {
                _ = draft.appendPrimaryKey(to: $0)
            }
        }
        return true
    }

    /// Puts an object into the queue, once.
    ///
    /// - Returns: The object key of one without a primary key; nil within nil where there is a fault.
    private func enqueue(_ object: ObjectBase, _ rowClass: RowClass) -> UInt64?? {
        let id = ObjectIdentifier(object)
        if let present = keys[id] { return .some(present) }
        var key: UInt64?
        if rowClass.primaryKeyIndex == nil {
            do throws(StoreError) { key = try transaction.reserveKey(rowClass) } catch {
                realm.fail(error)
                return nil
            }
        }
        keys[id] = key
        queue.append(object)
        return .some(key)
    }

    private func statePrimaryKey(of object: ObjectBase, _ rowClass: RowClass, in draft: ObjectDraft)
    {
        guard let member = rowClass.primaryKeyIndex,
            let binding = realm.schema.byIndex[rowClass.index],
            let field = binding.fieldOfMember[member]
        else { return }
        state(object, binding.model.fields[field], member, in: draft)
    }

    private func state(
        _ object: ObjectBase, _ field: ModelField, _ member: Int, in draft: ObjectDraft
    ) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        field.wrapper.state(
            base + field.offset, in: Statement(draft: draft, member: member, graph: self))
    }

    // MARK: Embedded objects

    /// Makes the draft of an embedded object; nil, with a fault, where it can't be used so.
    func embeddedDraft(of object: ObjectBase, for use: EmbeddedUse) -> ObjectDraft? {
        guard let rowClass = rowClass(of: object) else { return nil }
        if object.place != nil {
            switch use {
            case .link: fail("Can't set link to existing managed embedded object")
            case .element: fail("Cannot add an existing managed embedded object to a List.")
            case .entry: fail("Cannot add an existing managed embedded object to a Dictionary.")
            }
            return nil
        }
        return draft(of: object, rowClass)
    }

    private func draft(of object: ObjectBase, _ rowClass: RowClass) -> ObjectDraft? {
        guard let binding = realm.schema.byIndex[rowClass.index] else { return nil }
        let stated = stated[ObjectIdentifier(object)]
        let draft = ObjectDraft(rowClass, isMerge: stated != nil)
        for (field, position) in zip(binding.model.fields, binding.positions)
        where field.shape.kind != .origins && stated?.contains(field.name) ?? true {
            state(object, field, Int(position.member), in: draft)
        }
        return draft
    }

    // MARK: Adding

    /// Adds an object.
    func add(_ object: ObjectBase) {
        guard let rowClass = rowClass(of: object) else { return }
        _ = enqueue(object, rowClass)
        finish()
    }

    /// Adds what is in the queue.
    func finish() {
        guard hasObjects else { return }
        var added: [(object: ObjectBase, binding: ClassBinding, key: UInt64)] = []
        do throws(StoreError) {
            try transaction.attempt { () throws(StoreError) in
                while next < queue.count {
                    let object = queue[next]
                    next += 1
                    if let one = try write(object) { added.append((object, one.binding, one.key)) }
                }
            }
        } catch {
            realm.fail(error)
            added = []
        }
        for (object, binding, key) in added {
            let place = ObjectPlace(realm, binding, key: key, rootClass: binding.rowClass)
            realm.settle(object, at: place, nil)
            binding.manage(object)
            realm.noteCreated(place)
        }
        queue.removeAll()
        next = 0
        realm.changed()
    }

    private func write(_ object: ObjectBase) throws(StoreError) -> (
        binding: ClassBinding, key: UInt64
    )? {
        guard let rowClass = rowClass(of: object),
            let binding = realm.schema.byIndex[rowClass.index],
            let draft = draft(of: object, rowClass)
        else { return nil }
        if let key = keys[ObjectIdentifier(object)] ?? nil {
            return (binding, try transaction.create(draft, reservedKey: key).key)
        }
        if policy == .error, let found = try existing(draft) {
            realm.fail(
                "Attempting to create an object of type '\(binding.model.name)' with an existing primary key value '\(found)'."
            )
            return nil
        }
        let result = try transaction.write(draft, mode: policy == .error ? .create : mode(draft))
        if !result.isCreated { follow(draft, binding, result.key) }
        return (binding, result.key)
    }

    /// Has what the program holds of an object follow that it was written over: single embedded objects that are merged
    /// stay, others give way.
    private func follow(_ draft: ObjectDraft, _ binding: ClassBinding, _ key: UInt64) {
        let root = ObjectIdentity(classIndex: binding.rowClass.index, key: key)
        for (member, compiled) in binding.rowClass.members.enumerated() {
            let field = draft.fields[member].state
            if field == .absent && draft.isMerge { continue }
            if field == .child && draft.isMerge { continue }
            guard compiled.storage.element == .embedded || compiled.storage.element == .mixed
            else { continue }
            realm.follow(.replaced(.member(member)), in: [], of: root)
        }
    }

    private func mode(_ draft: ObjectDraft) -> WriteMode {
        draft.isMerge || policy == .modified ? .merge : .replace
    }

    /// The primary key of a draft whose object is there already.
    private func existing(_ draft: ObjectDraft) throws(StoreError) -> String? {
        guard let value = draft.primaryKey, let key = OrderedKey(value),
            try transaction.find(draft.rowClass, primaryKey: key) != nil
        else { return nil }
        return value.text
    }
}
