import Dispatch
import HoldfastObjectStore

/// The base class of projections. A projection is a view of an object that shows some of its properties, under its own names and
/// in its own forms.
///
///     class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var firstName
///         @Projected(\Person.address?.city) var homeCity
///         @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
///     }
///
///     let people = realm.objects(PersonProjection.self)
///
/// A projection is as live as its object, and belongs to the same thread, queue or actor. Two projections are equal if their
/// objects are the same.
open class Projection<Root: ObjectBase>: ProjectionObservable {
    /// The object that is projected.
    public let rootObject: Root

    /// Projects an object, managed or not.
    ///
    /// The first projection of a class checks the class's key paths. Ends the process if one leads through no persisted property
    /// of the object.
    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectionClass.of(self)
    }

    /// The realm of the object; nil for an unmanaged one.
    public final var realm: Realm? { rootObject.realm }
    /// Whether the object was deleted, or its realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }
    /// Whether it is frozen, so that it always shows one version.
    public final var isFrozen: Bool { rootObject.isFrozen }
}

@available(*, unavailable)
extension Projection: Sendable {}

extension Projection {
    /// The address of the projection, made from that of its object.
    public final func _makeAddress() -> _Address {
        let address = rootObject._makeAddress()
        let type = Swift.type(of: self)
        return _Address { realm in (address.find(realm) as? Root).map { type.init(projecting: $0) }
        }
    }

    /// The wording of messages about an unmanaged value.
    public static var _unmanaged: (freezing: String, thawing: String) { Root._unmanaged }

    /// Whether both project the same object, even with different properties.
    public static func == (a: Projection, b: Projection) -> Bool {
        a.rootObject.isSameObject(as: b.rootObject)
    }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) { rootObject.hashStored(into: &hasher) }

    /// The type in the schema: that of the object.
    public static var _element: ElementShape { Root._element }
    /// Makes an object and projects it.
    public static func _unset() -> Self { Self(projecting: Root._unset()) }
    /// Projects a stored object.
    public static func _decode(_ stored: StoredElement) -> Self {
        Self(projecting: Root._decode(stored))
    }
    /// Hands the object over to be stored.
    public static func _encode(_ value: Projection, to sink: ElementSink) {
        Root._encode(value.rootObject, to: sink)
    }
    /// Projects an object of the root's class.
    public static func _of(_ object: ObjectBase) -> Self { Self(projecting: Root._of(object)) }
}

extension Projection: CustomStringConvertible {
    /// The class and each projected property, on separate lines.
    public var description: String {
        let name = String(describing: Swift.type(of: self))
        if isInvalidated { return "\(name) [invalid object]" }
        let lines = ProjectionClass.of(self).properties.map { property in
            "\t\(property.name) = \(property.value(of: rootObject).map { "\($0)" } ?? "(null)");\n"
        }
        return "\(name) {\n\(lines.joined())}"
    }
}

extension ProjectionObservable {
    /// Calls `block` when projected properties have changed, and when the object was deleted.
    ///
    /// Calls are made as for observers of the object. Changes name the property of the projection, with the earlier and the
    /// present value as the projection shows them. Changes of other properties are not reported. Ends the process for a
    /// projection of an unmanaged object.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties, by their names in the projection or by the paths of the projected object. All
    ///     properties if there are no key paths.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the projection.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        guard let place = rootObject.place else {
            Misuse.end("Only objects which are managed by a Realm support change notifications")
        }
        let properties = ProjectionClass.of(self).properties(meantBy: keyPaths)
        // Faults of the call are reported before the observation is handed over.
        let object = rootObject
        let observed = ProjectedProperties(object, place, properties)
        let observation = ObjectObservation(place, observed) { change in
            block(
                ObjectChange(self, change) { name in
                    properties.first { $0.name == name }?.value(of: object)
                })
        }
        _ = rootObject.requireRow()
        return observation.begin()
    }

    /// Calls `block` when the projected properties of key paths have changed, as ``observe(keyPaths:on:_:)-([String]?,_,_)``
    /// does.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: names(of: keyPaths), on: queue, block)
    }

    /// Calls `block` on an actor, with the actor's own view of the projection. The observation begins in the actor's realm.
    ///
    /// The token does not keep the actor. Once the actor is gone, nothing is reported.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties, as without an actor.
    ///   - actor: The actor. Its realm stays open as long as the observation lasts.
    ///   - isolation: The actor of this object's realm, on which the calling code runs.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observed(on: actor, isolation: isolation, block) {
            $0.observe(keyPaths: keyPaths, $1)
        }
    }

    /// Calls `block` on an actor when the projected properties of key paths have changed.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A,
        isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let names = names(of: keyPaths)
        return await observe(keyPaths: names, on: actor, isolation: isolation, block)
    }

    /// The notifications of `observe` for the projection, as a sequence.
    public func changes(keyPaths: [String]? = nil) -> RealmChanges<ObjectChange<Self>> {
        RealmChanges { self.observe(keyPaths: keyPaths, $0) }
    }

    /// The names of the properties of key paths.
    private func names(of keyPaths: [PartialKeyPath<Self>]) -> [String] {
        let properties = ProjectionClass.of(self).properties
        return keyPaths.flatMap { keyPath in
            // If two properties depend on the same path, both are reported.
            let paths = KeyPathNames.paths(of: keyPath, from: Root.self) {
                _ = Self._of($0)[keyPath: keyPath]
            }
            let meant = properties.filter { $0.paths == paths }
            if meant.isEmpty { Misuse.end("The key path of '\(Self.self)' names no property.") }
            return meant.map(\.name)
        }
    }

    /// The paths of the object that observers of several projections observe, for some of the projections' properties or for all.
    static func observedPaths(_ keyPaths: [String]?) -> [String] {
        ProjectionClass.of(Self(projecting: Root())).properties(meantBy: keyPaths).flatMap(\.paths)
    }
}

/// The properties of a projection, by their positions among the observed ones.
final class ProjectedProperties: ObservedProperties {
    private let object: ObjectBase
    private let place: ObjectReference
    private let properties: [ProjectedProperty]
    /// The properties that each projected property depends on, in the view's schema.
    private var shown: (schema: BoundSchema, properties: [[ShownProperties]])?

    init(_ object: ObjectBase, _ place: ObjectReference, _ properties: [ProjectedProperty]) {
        self.object = object
        self.place = place
        self.properties = properties
    }

    func name(_ position: Int) -> String { properties[position].name }

    func changes(
        _ step: RealmStep, from old: StoredState, to new: StoredState
    ) throws(StoreError) -> [Int] {
        guard let changes = step.changes else {
            return properties.indices.filter { differs(properties[$0], from: old, to: new) }
        }
        let shown = present
        return properties.indices.filter { position in
            shown[position].contains { !$0.changes(in: changes, of: place.key).isEmpty }
        }
    }

    /// Compares the properties of the object that a projected property depends on.
    private func differs(
        _ property: ProjectedProperty, from old: StoredState, to new: StoredState
    ) -> Bool {
        let model = place.binding.model
        return property.paths.contains { path in
            let field = path.split(separator: ".").first.flatMap { model.position(of: String($0)) }
            return field.map { old.differs(model.fields[$0].columnName, from: new) } ?? false
        }
    }

    private var present: [[ShownProperties]] {
        let schema = place.realm.schema
        if let shown, shown.schema === schema { return shown.properties }
        let made = properties.map { property in
            let paths = ObservedPaths(place.binding.model, property.paths)
            return paths.properties(in: schema, at: place)?.map(\.shown) ?? []
        }
        shown = (schema, made)
        return made
    }

    func value(_ position: Int, in state: StoredState) -> Any? {
        let realm = place.realm
        guard state.view.rows === realm.schema.rows else { return nil }
        let value = realm.showing(state.view) { properties[position].value(of: object) }
        // A collection would show its present elements.
        return value is any _Queried || value is any ProjectedElements ? nil : value
    }
}
