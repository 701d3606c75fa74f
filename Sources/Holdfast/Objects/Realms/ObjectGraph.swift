import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Adds an object to a realm together with all unmanaged objects that it links to, directly or through others.
///
/// Each object is added once, in the order in which links lead to it. Links to objects that are still to be added are checked
/// when the transaction ends, so cycles are possible.
final class ObjectGraph {
    let realm: RealmCore
    private let transaction: WriteTransaction
    private let policy: Realm.UpdatePolicy
    /// An object that is to be added.
    private struct Entry {
        let object: ObjectBase
        let binding: ClassBinding
        /// Its object key, once it is known.
        var key: UInt64?
        /// Its row, once it is written as a new one.
        var row: RowView?
        var isWritten = false
        /// The embedded objects that it contains.
        var embedded: [Embedded] = []
    }

    /// An embedded object that a statement has led to.
    struct Embedded {
        let object: ObjectBase
        let binding: ClassBinding
        /// The path to it from the object that has the assigned property.
        let steps: [NestedPath.Step]
    }

    /// The objects to be added, in order.
    @exclusivity(unchecked) private var queue: [Entry] = []
    @exclusivity(unchecked) private var next = 0
    /// The positions in the queue of the first objects, as far as they are indexed; used once the queue is long.
    private var positions: [ObjectIdentifier: Int] = [:]
    private static let searchedCountMax = 8
    /// The names of the properties that are stated for an object, if its other properties are to be kept.
    var stated: [ObjectIdentifier: Set<String>] = [:]
    /// Whether embedded objects are copied and stay unmanaged.
    var copiesEmbedded = false
    /// The embedded objects of the statement in progress, see ``embedding(_:)``.
    private var embedded: [Embedded] = []
    /// The path to the embedded object that is being stated.
    private var steps: [NestedPath.Step] = []
    /// The embedded objects that have an owner but are not connected to the store yet. For copied objects, only the embedded
    /// objects around the one that is being stated.
    private var owned: Set<ObjectIdentifier> = []
    /// Whether the object that is being stated is stored already and keeps the properties that the statement leaves out.
    private var keepsStored = false

    /// For the check of raw values of enums.
    private(set) lazy var caseScratch = ByteBuffer(capacity: 32)

    init(_ realm: RealmCore, _ transaction: WriteTransaction, _ policy: Realm.UpdatePolicy) {
        self.realm = realm
        self.transaction = transaction
        self.policy = policy
    }

    var hasObjects: Bool { next < queue.count }

    /// The position that an embedded object is about to take.
    enum EmbeddedUse {
        case link
        case element(Int)
        case entry(String)

        /// The step from the property to the embedded object.
        fileprivate var step: NestedPath.Step? {
            switch self {
            case .link: nil
            case .element(let index): .index(index)
            case .entry(let key): .key(Array(key.utf8))
            }
        }

        /// The fault of an object that has an owner already.
        fileprivate var fault: String {
            switch self {
            case .link: "Can't set link to existing managed embedded object"
            case .element: "Cannot add an existing managed embedded object to a List."
            case .entry: "Cannot add an existing managed embedded object to a Dictionary."
            }
        }
    }

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

    /// Notes the fault of a key of a map.
    func require(key: String) {
        if let fault = MapKey.message(key) { fail(fault) }
    }

    /// The binding of an object's class; nil, with a fault, if the realm does not have the class.
    func binding(of object: ObjectBase) -> ClassBinding? {
        guard let binding = realm.schema.binding(of: object.model.type) else {
            fail("Object type '\(object.model.name)' not managed by the Realm")
            return nil
        }
        return binding
    }

    // MARK: Links

    /// The class of an object that an `AnyRealmValue` links to; nil, with a fault, if such a link is not possible.
    func mixedTarget(_ object: ObjectBase) -> RowClass? {
        guard let binding = binding(of: object) else { return nil }
        // As a ``DynamicObject`` it may be of any kind.
        guard binding.model.kind == .object else {
            fail(
                "Invalid value of type '\(binding.model.name)' for an AnyRealmValue: it can't link to embedded or asymmetric objects."
            )
            return nil
        }
        return binding.rowClass
    }

    /// Whether an object has the class that a property leads to; otherwise notes a fault. A derived class has its own table.
    private func isFitting(_ binding: ClassBinding, _ statement: Statement) -> Bool {
        let rowClass = statement.draft.rowClass
        let expected = rowClass.members[statement.member].classIndex
        if binding.rowClass.index == expected { return true }
        let target = realm.schema.rows.classes[expected].definition.name
        fail(
            "Invalid value of type '\(binding.model.name)' for '\(target)' property '\(rowClass.definition.name).\(statement.name)'."
        )
        return false
    }

    /// Adds the link to an object. An unmanaged object is added to the realm first.
    ///
    /// - Returns: Whether the link was added; otherwise there is a fault.
    @discardableResult
    func addReference(
        to object: ObjectBase, _ statement: Statement, element: Int?,
        mixed: MixedLinkPosition? = nil
    ) -> Bool {
        guard let binding = binding(of: object), mixed != nil || isFitting(binding, statement)
        else { return false }
        if let place = object.place {
            guard place.realm === realm else {
                fail(
                    "Object is already managed by another Realm. Use create instead to copy it into this Realm."
                )
                return false
            }
            // Pending changes of the object, perhaps this link, stay pending.
            if place.isGone || realm.storedRow(of: place) == nil {
                fail("Adding a deleted or invalidated object to a Realm is not permitted")
                return false
            }
            statement.draft.addReference(
                statement.member, element: element, mixed: mixed, objectKey: place.key)
            return true
        }
        let position = enqueue(object, binding)
        guard let key = reservedKey(position) else { return false }
        if let key {
            statement.draft.addReference(
                statement.member, element: element, mixed: mixed, objectKey: key)
        } else {
            let draft = ObjectDraft(binding.rowClass, isMerge: false)
            statePrimaryKey(of: object, binding, in: draft)
            statement.draft.addReference(statement.member, element: element, mixed: mixed) {
                _ = draft.appendPrimaryKey(to: $0)
            }
        }
        return true
    }

    /// Puts an object into the queue, once. Returns its position in the queue.
    private func enqueue(_ object: ObjectBase, _ binding: ClassBinding) -> Int {
        if let present = position(of: object) { return present }
        queue.append(Entry(object: object, binding: binding))
        return queue.count - 1
    }

    private func position(of object: ObjectBase) -> Int? {
        if queue.count <= Self.searchedCountMax { return queue.firstIndex { $0.object === object } }
        for position in positions.count..<queue.count {
            positions[ObjectIdentifier(queue[position].object)] = position
        }
        return positions[ObjectIdentifier(object)]
    }

    /// Returns the object key of a queued object; nil if the object has a primary key; nil within nil after a fault.
    private func reservedKey(_ position: Int) -> UInt64?? {
        if queue[position].binding.rowClass.primaryKeyIndex != nil { return .some(nil) }
        if let key = queue[position].key { return key }
        // Keys are in the order of the queue. The object that is being written has no key before it is needed.
        for earlier in max(0, next - 1)...position {
            let rowClass = queue[earlier].binding.rowClass
            if queue[earlier].key != nil || rowClass.primaryKeyIndex != nil { continue }
            do throws(StoreError) {
                queue[earlier].key = try transaction.reserveKey(rowClass)
            } catch {
                realm.fail(error)
                return nil
            }
        }
        return .some(queue[position].key)
    }

    private func statePrimaryKey(
        of object: ObjectBase, _ binding: ClassBinding, in draft: ObjectDraft
    ) {
        guard let member = binding.rowClass.primaryKeyIndex,
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

    /// Makes the draft of an embedded object; nil, with a fault, if the object already has an owner or has the wrong class.
    func embeddedDraft(
        of object: ObjectBase, for use: EmbeddedUse, _ statement: Statement
    ) -> ObjectDraft? {
        guard let binding = binding(of: object), isFitting(binding, statement) else { return nil }
        let id = ObjectIdentifier(object)
        guard object.place == nil, owned.insert(id).inserted else {
            fail(use.fault)
            return nil
        }
        let outer = steps
        defer { steps = outer }
        steps.append(.member(statement.member))
        if let step = use.step { steps.append(step) }
        if !copiesEmbedded {
            embedded.append(Embedded(object: object, binding: binding, steps: steps))
        }
        defer { if copiesEmbedded { owned.remove(id) } }
        let outerKeepsStored = keepsStored
        defer { keepsStored = outerKeepsStored }
        // An element replaces the earlier element.
        if case .link = use {} else { keepsStored = false }
        if !keepsStored { stated[id] = nil }
        let draft = ObjectDraft(binding.rowClass, isMerge: stated[id] != nil)
        // A collection takes the place of the stored one.
        draft.statesWholeMaps = true
        state(object, binding, in: draft)
        return draft
    }

    /// Runs a statement of an object's properties.
    ///
    /// - Returns: The embedded objects that the statement has reached, including embedded objects within others.
    func embedding(_ statement: () -> Void) -> [Embedded] {
        // Code of the program may start another statement before this one ends.
        let outer = (embedded, steps)
        (embedded, steps) = ([], [])
        defer { (embedded, steps) = outer }
        statement()
        return embedded
    }

    /// States the properties of an object. If values were given for some properties, states only these and the primary key, with
    /// its value or default.
    private func state(_ object: ObjectBase, _ binding: ClassBinding, in draft: ObjectDraft) {
        guard !stated.isEmpty, let stated = stated[ObjectIdentifier(object)] else {
            return binding.state(object, in: draft, self)
        }
        for (field, position) in zip(binding.model.fields, binding.positions)
        where field.shape.kind != .origins
            && (stated.contains(field.name) || field.attributes.isPrimaryKey)
        {
            state(object, field, Int(position.member), in: draft)
        }
    }

    // MARK: Adding

    func add(_ object: ObjectBase) {
        guard let binding = binding(of: object) else { return }
        _ = enqueue(object, binding)
        finish()
    }

    /// Adds the queued objects.
    func finish() {
        defer { if !owned.isEmpty { owned.removeAll() } }
        guard hasObjects else { return }
        var isAdded = false
        do throws(StoreError) {
            try transaction.attempt { () throws(StoreError) in
                while next < queue.count {
                    next += 1
                    try write(next - 1)
                }
            }
            isAdded = true
        } catch { realm.fail(error) }
        realm.changed()
        for entry in queue where isAdded && entry.isWritten {
            guard let key = entry.key else { continue }
            realm.settle(
                entry.object, entry.binding, key: key, creation: realm.creation, row: entry.row)
            entry.binding.manage(entry.object)
            realm.manage(entry.embedded, in: [], of: entry.binding.rowClass, key)
        }
        queue.removeAll(keepingCapacity: true)
        if !positions.isEmpty { positions.removeAll() }
        next = 0
    }

    private func write(_ position: Int) throws(StoreError) {
        let (object, rowClass) = (queue[position].object, queue[position].binding.rowClass)
        if !stated.isEmpty, stated[ObjectIdentifier(object)] != nil {
            keepsStored = try isThere(object, queue[position].binding)
            // A new object has the defaults of its class.
            if !keepsStored { stated[ObjectIdentifier(object)] = nil }
        }
        let isExplicit = !stated.isEmpty && stated[ObjectIdentifier(object)] != nil
        let draft = realm.additionDraft(rowClass, isMerge: isExplicit)
        draft.statesWholeMaps = true
        queue[position].embedded = embedding {
            realm.stating { state(object, queue[position].binding, in: draft) }
        }
        let result: WriteResult
        if let key = queue[position].key {
            result = try transaction.create(draft, reservedKey: key)
        } else {
            do throws(StoreError) {
                result = try transaction.write(
                    draft, mode: policy == .error ? .create : mode(draft))
            } catch {
                guard case .duplicateKey = error else { throw error }
                return fail(
                    "Attempting to create an object of type '\(queue[position].binding.model.name)' with an existing primary key value '\(draft.primaryKey?.text ?? "")'."
                )
            }
        }
        if !result.isCreated {
            follow(draft, [], ObjectIdentity(classIndex: rowClass.index, key: result.key))
        }
        queue[position].key = result.key
        queue[position].row = policy == .error ? result.row : nil
        queue[position].isWritten = true
    }

    /// Whether the store has an object with the primary key of an object that is to be added.
    private func isThere(_ object: ObjectBase, _ binding: ClassBinding) throws(StoreError) -> Bool {
        let draft = ObjectDraft(binding.rowClass, isMerge: false)
        statePrimaryKey(of: object, binding, in: draft)
        guard let key = draft.primaryKey.flatMap({ OrderedKey($0) }) else { return false }
        return try transaction.find(binding.rowClass, primaryKey: key) != nil
    }

    /// Updates the program's references into an object after the object was written over. References into single embedded objects
    /// that are merged stay valid; others become invalid.
    ///
    /// - `owner`: The path to the draft's object from its root object.
    private func follow(_ draft: ObjectDraft, _ owner: [NestedPath.Step], _ root: ObjectIdentity) {
        for (member, compiled) in draft.rowClass.members.enumerated()
        where compiled.storage.element == .embedded || compiled.storage.element == .mixed {
            let field = draft.fields[member]
            switch field.state {
            case .absent where draft.isMerge: break
            case .child where draft.children[field.start].isMerge:
                follow(draft.children[field.start], owner + [.member(member)], root)
            default: realm.follow(.replaced(.member(member)), in: owner, of: root)
            }
        }
    }

    private func mode(_ draft: ObjectDraft) -> WriteMode {
        draft.isMerge || policy == .modified ? .merge : .replace
    }
}
