import Dispatch
import Foundation
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A view of a store's objects, through which they are read and changed.
///
/// A realm and its objects belong to a serial queue or an actor that is named when it is opened; otherwise to the main queue on
/// the main thread, or to the calling thread. It shows one version of the store. It moves to another version at ``refresh()``,
/// when a write begins, and when a write ends. A realm of a queue or an actor also follows other commits by itself, see
/// ``autorefresh``.
///
///     let realm = try Realm()
///     try realm.write { realm.add(Dog(value: ["name": "Rex"])) }
public struct Realm {
    let core: RealmCore

    init(_ core: RealmCore) { self.core = core }

    /// Opens the realm of a configuration, or returns the one that is open in the same place.
    ///
    /// Cost: two look-ups if it is open. Otherwise the store is opened and its classes are compared.
    ///
    /// - Parameters:
    ///   - configuration: The location and the classes of the store.
    ///   - queue: The serial queue that the realm belongs to; the call has to be made on it. Nil for the main queue on the main
    ///     thread, otherwise for the calling thread.
    /// - Throws: ``Realm/Error``.
    public init(
        configuration: Configuration = .defaultConfiguration, queue: DispatchQueue? = nil
    ) throws {
        guard let queue else {
            core = try OpenRealms.core(of: configuration)
            return
        }
        let confinement = Confinement(queue)
        if !confinement.isCurrent { Misuse.end("Realm opened from incorrect dispatch queue.") }
        core = try OpenRealms.core(of: configuration, in: confinement)
    }

    /// Opens the realm of a folder.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// The configuration that the realm was opened with.
    public var configuration: Configuration { core.configuration }

    // MARK: Writing

    /// Runs `block` in a write transaction and commits it.
    ///
    /// - Parameters:
    ///   - tokens: Observers of this realm that are skipped for this write, unless another realm writes at the same time.
    ///   - block: Changes objects.
    /// - Returns: The result of `block`.
    /// - Throws: The error of `block`, after everything was rolled back; the first fault of a value in it (``ValueFault``);
    ///   ``Realm/Error`` if the commit fails.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        try core.begin()
        let result: Result
        do { result = try block() } catch {
            if core.isInWrite { core.cancel() }
            throw error
        }
        if core.isInWrite { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Begins a write transaction, after all earlier ones have ended.
    public func beginWrite() {
        do { try core.begin() } catch { Misuse.end("The write can't begin: \(error)") }
    }

    /// Commits the write transaction.
    ///
    /// - Parameter tokens: Observers of this realm that are skipped for this write, unless another realm writes at the same time.
    /// - Throws: As ``write(withoutNotifying:_:)``, after everything was rolled back.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        let silenced = tokens.compactMap(\.present)
        if silenced.contains(where: { $0.realm !== core }) {
            Misuse.end(
                "Incorrect Realm: only notifications for the Realm being modified can be skipped.")
        }
        try core.commit(withoutNotifying: silenced)
    }

    /// Rolls back the write transaction.
    public func cancelWrite() { core.cancel() }

    /// Whether a write transaction is in progress.
    public var isInWriteTransaction: Bool {
        core.checkThread()
        return core.isInWrite
    }

    // MARK: Adding

    /// The treatment of an object with a primary key that another object has.
    public enum UpdatePolicy: Int, Sendable {
        /// The write fails.
        case error = 1
        /// The properties that differ are changed.
        case modified = 3
        /// All properties are written.
        case all = 2
    }

    /// Adds an object and all objects that it links to. An object that is already in the realm stays as it is.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        let transaction = core.requireWrite()
        if let place = object.place {
            if place.isGone || core.row(of: place) == nil {
                return core.fail(
                    "Adding a deleted or invalidated object to a Realm is not permitted")
            }
            if place.realm === core { return }
            return core.fail(
                "Object is already managed by another Realm. Use create instead to copy it into this Realm."
            )
        }
        core.flush()
        let binding = core.binding(of: type(of: object))
        if update != .error, binding.rowClass.primaryKeyIndex == nil {
            return core.fail(
                "'\(binding.model.name)' does not have a primary key and can not be updated")
        }
        ObjectGraph(core, transaction, update).add(object)
    }

    /// Adds objects and all objects that they link to.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error)
    where S.Element: Object {
        for object in objects { add(object, update: update) }
    }

    // MARK: Deleting

    /// Deletes an object. Links to it become nil, and lists lose it.
    public func delete(_ object: ObjectBase) {
        let transaction = core.requireWrite()
        guard let place = object.place, place.realm === core else {
            return core.fail("Can only delete an object from the Realm it belongs to.")
        }
        core.delete(place, transaction)
    }

    /// Deletes objects.
    public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
        for object in Array(objects) { delete(object) }
    }

    /// Deletes the objects that are values of a map. The keys of linked objects stay, with nil.
    public func delete<Key, Value: ObjectBase>(_ map: Map<Key, Value?>) {
        delete(map.values.compactMap(\.self))
    }

    /// Deletes every object of the realm's classes.
    public func deleteAll() {
        let transaction = core.requireWrite()
        for binding in core.schema.byIndex {
            guard let binding, binding.rowClass.definition.kind == .object else { continue }
            while true {
                let keys = core.keys(of: binding, after: 0, atMost: 4096)
                for key in keys {
                    core.delete(ObjectReference(core, binding, key: key), transaction)
                }
                if keys.isEmpty { break }
            }
        }
    }

    // MARK: Reading

    /// All objects of a class.
    public func objects<Element: Object>(_ type: Element.Type) -> Results<Element> {
        core.checkThread()
        return Results(ResultsCore(core, core.binding(of: type), QueryParts()))
    }

    /// Returns the object with a primary key, or nil. Cost: one look-up.
    public func object<Element: Object, Key>(ofType type: Element.Type, forPrimaryKey key: Key)
        -> Element?
    {
        core.checkThread()
        guard let object = find(core.binding(of: type), key) else { return nil }
        // The binding is of the element's own class.
        return unsafeDowncast(object, to: Element.self)
    }

    /// Finds the object with a primary key. Ends the process for a class without a primary key. A value of another type fails the
    /// write in progress, or ends the process outside a write. A key beyond its type's range finds no object.
    func find<Key>(_ binding: ClassBinding, _ key: Key) -> ObjectBase? {
        guard let member = binding.rowClass.primaryKeyIndex else {
            Misuse.end("'\(binding.model.name)' does not have a primary key")
        }
        guard let primaryKey = PrimaryKeyValue.encoded(key, binding.rowClass, member) else {
            if PrimaryKeyValue.isOfType(key, binding.rowClass, member) { return nil }
            ValueFault.raise(
                "Invalid value '\(key)' of type '\(type(of: key as Any))' for primary key of '\(binding.model.name)'."
            )
            return nil
        }
        return core.find(binding, primaryKey)
    }

    // MARK: Versions

    /// Advances to the newest version.
    ///
    /// - Returns: Whether the version changed.
    @discardableResult
    public func refresh() -> Bool {
        core.checkThread()
        if core.isInWrite || core.isFrozen { return false }
        return core.refresh()
    }

    /// Releases the version, so that the store can reuse its pages. Objects and results that were read before are permanently
    /// invalid; later reads show the newest version. A write transaction in progress is cancelled.
    ///
    /// A frozen realm does not change: it keeps its version until the last reference to it and to its objects is gone.
    public func invalidate() { core.invalidate() }

    /// Whether there are no objects.
    public var isEmpty: Bool {
        core.checkThread()
        return core.schema.byIndex.allSatisfy { binding in
            guard let binding, binding.rowClass.definition.kind == .object else { return true }
            return core.count(of: binding) == 0
        }
    }
}

extension Realm: Equatable {
    /// Whether both are the same realm of the same thread, queue or actor.
    public static func == (a: Realm, b: Realm) -> Bool { a.core === b.core }
}

extension Realm {
    /// The binding of a class by its name. Ends the process if the realm has no such class.
    private func dynamicBinding(_ typeName: String) -> ClassBinding {
        core.checkThread()
        guard let model = core.models.first(where: { $0.name == typeName }) else {
            Misuse.end("Object type '\(typeName)' not managed by the Realm")
        }
        return core.binding(of: model.type).seen(as: DynamicObject.self)
    }

    /// All objects of a class by its name. Ends the process if the realm has no such class.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        Results(ResultsCore(core, dynamicBinding(typeName), QueryParts()))
    }

    /// Returns the object with a primary key, of a class by its name, or nil. Cost: one look-up.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        find(dynamicBinding(typeName), key) as? DynamicObject
    }

    /// Makes an object of a class by its name, as ``create(_:value:update:)`` does.
    ///
    /// - Returns: The managed object; an unmanaged one without properties if a value does not fit, in which case the write fails.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        let type = dynamicBinding(typeName).model.type
        return make(type.init(), value, update).seen(as: DynamicObject.self) ?? DynamicObject()
    }

    /// Makes an object from the properties in a value and adds it. With `update`, an object with the same primary key is changed
    /// instead, and keeps the properties that the value leaves out.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - value: As for `init(value:)`. An object of another realm is copied, and so is any embedded object.
    ///   - update: The treatment of an object that already has the primary key.
    /// - Returns: The managed object.
    @discardableResult
    public func create<T: Object>(
        _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> T {
        make(T(), value, update)
    }

    /// Makes an object of an asymmetric class, which goes to the class's outbox.
    public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
        _ = make(T(), value, .error)
    }

    /// Sets the properties of an object from a value, and adds the object.
    func make<T: ObjectBase>(_ object: T, _ value: Any, _ update: UpdatePolicy) -> T {
        let transaction = core.requireWrite()
        core.flush()
        let binding = core.binding(of: type(of: object))
        if binding.model.kind == .embedded {
            core.fail("Embedded objects cannot be created directly")
            return object
        }
        if update != .error, binding.rowClass.primaryKeyIndex == nil {
            core.fail("'\(binding.model.name)' does not have a primary key and can not be updated")
            return object
        }
        let reader = ValueReader(core, notesExplicit: update != .error)
        do { try reader.fill(object, from: value) } catch {
            core.fail(error.message)
            return object
        }
        let graph = ObjectGraph(core, transaction, update)
        if update != .error { graph.stated = reader.stated }
        graph.copiesEmbedded = true
        graph.add(object)
        return object
    }
}
