import Foundation
import Glibc
import HoldfastObjectModel
import HoldfastRows

/// The common base class of top-level, embedded and asymmetric objects.
///
/// An unmanaged object holds its values itself. A managed object is a view of the stored object, and belongs to the thread, queue
/// or actor of its realm.
open class ObjectBase {
    /// The view in which the object is read; nil if it is unmanaged.
    @exclusivity(unchecked) @usableFromInline final var _view: UnsafePointer<ViewState>?
    /// The generation of the view when ``_row`` was found.
    @exclusivity(unchecked) @usableFromInline final var _generation: UInt64 = 0
    /// The object's row, in the present layout of its class: valid while the generation is the view's.
    @exclusivity(unchecked) @usableFromInline final var _row: UnsafeRawPointer?
    /// The object's row, in any layout.
    final var stored: UnsafeRawPointer?
    // The reference of a managed object, see ``place``. Separate fields, so that reading one of them counts no reference to the
    // others.
    /// The realm of a managed object; nil if it is unmanaged.
    final var placeRealm: RealmCore?
    /// Not counted, see ``ObjectReference/binding``.
    unowned(unsafe) final var placeBinding: ClassBinding?
    final var placeKey: UInt64 = 0
    final var placeWay: NestedPath?
    final var placeCreation: CreatingWrite?
    final var placeEra: UInt = 0

    /// Makes an unmanaged object with the default values of its properties.
    public required init() {}

    /// The name of the class, as its table has it.
    open class func className() -> String { ModelClass.name(of: self) }

    /// The names under which properties are stored, by their names in the class; others keep theirs.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Whether the class is included in realms with a configuration that names no classes.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }
}

@available(*, unavailable)
extension ObjectBase: Sendable {}

extension ObjectBase {
    /// The field of a name. Ends the process if the class does not have it.
    private func field(_ name: String) -> ModelField {
        guard let index = model.position(of: name) else {
            Misuse.end("The class '\(model.name)' has no property '\(name)'.")
        }
        return model.fields[index]
    }

    /// The value of a property; nil for null.
    final func value(_ field: ModelField) -> Any? {
        if place?.binding.isDynamic ?? false { return dynamicValue(field) }
        let address = Unmanaged.passUnretained(self).toOpaque() + field.offset
        return ExplicitValues.unwrapped(field.wrapper.value(address, self))
    }

    /// Sets a property; false if the value does not fit.
    private final func set(_ value: Any, _ field: ModelField) -> Bool {
        if place?.binding.isDynamic ?? false { return setDynamicValue(value, field) }
        let address = Unmanaged.passUnretained(self).toOpaque() + field.offset
        return field.wrapper.set(value, address, self, ValueReader())
    }

    /// The value of a property; nil for null. Ends the process for an unknown name.
    public final func value(forKey key: String) -> Any? { value(field(key)) }

    /// Sets a property.
    ///
    /// A value of another type fails the write in progress, or ends the process outside of a write. An unknown name ends the
    /// process. For values from outside the program, use ``setValue(validating:forKey:)``.
    public final func setValue(_ value: Any?, forKey key: String) {
        do { try setValue(validating: value, forKey: key) } catch {
            guard let place else { return ValueFault.raise("\(error)") }
            _ = place.realm.requireWrite()
            place.realm.fail("\(error)")
        }
    }

    /// Sets a property to a value from outside the program. Ends the process for an unknown name.
    ///
    /// - Throws: ``ValueFault`` for a value of another type, which changes nothing.
    public final func setValue(validating value: Any?, forKey key: String) throws {
        let field = field(key)
        if set(value as Any, field) { return }
        throw ValueFault(
            "Invalid value '\(value.map { "\($0)" } ?? "nil")' of type '\(value.map { "\(Swift.type(of: $0))" } ?? "nil")' for '\(field.typeName)' property '\(model.name).\(key)'."
        )
    }

    /// The value of a property by its name, as of ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }
}

extension ObjectBase: CustomStringConvertible {
    /// The greatest depth to which links are followed.
    private static let depthMax = 4

    /// The class and each property, on separate lines. Links nest to a bounded depth, so that cycles end.
    public var description: String { describe(0) }

    private func describe(_ depth: Int) -> String {
        let model = model
        if depth > Self.depthMax { return "<Maximum depth exceeded>" }
        if isInvalidated { return "\(model.name) [invalid object]" }
        let indent = String(repeating: "\t", count: depth + 1)
        var text = "\(model.name) {\n"
        for field in model.fields where field.shape.kind != .origins {
            text += "\(indent)\(field.name) = \(Self.text(value(field), depth));\n"
        }
        return text + String(repeating: "\t", count: depth) + "}"
    }

    private static func text(_ value: Any?, _ depth: Int) -> String {
        guard let value = value.flatMap({ ExplicitValues.unwrapped($0) }) else { return "(null)" }
        if depth > depthMax { return "<Maximum depth exceeded>" }
        switch value {
        case let object as ObjectBase: return object.describe(depth + 1)
        case let any as AnyRealmValue: return text(any.content, depth)
        case let entries as any DescribedEntries:
            let texts = entries.described.map { "\($0.key): \(text($0.value, depth + 1))" }
            return "[" + texts.joined(separator: ", ") + "]"
        case let elements as any Sequence where !(value is String || value is Data):
            let texts = elements.map { text($0, depth + 1) }
            return "(" + texts.joined(separator: ", ") + ")"
        default: return "\(value)"
        }
    }
}

/// A map with values of any type, as ``ObjectBase/description`` shows it.
private protocol DescribedEntries { var described: [(key: String, value: Any)] { get } }

extension Map: DescribedEntries {
    var described: [(key: String, value: Any)] { map { ($0.key._key, $0.value) } }
}

extension AnyRealmValue {
    /// The value of the case; nil for the case without a value.
    var content: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .list(let value): value
        case .dictionary(let value): value
        }
    }
}

extension ObjectBase: _ObjectView, _OptionalPersistable {
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.object(ClassReference(type: self))) }

    /// The value of a property without a default.
    public static func _unset() -> Self { Self() }

    /// Reads a stored value.
    public static func _decode(_ stored: StoredElement) -> Self {
        guard let object = stored.object(Self.self) else {
            Misuse.end("The link has no target object.")
        }
        return object
    }

    /// Returns the element of results that an object is: results are of the element's own class.
    @inlinable
    public static func _of(_ object: consuming ObjectBase) -> Self {
        if Self.self == DynamicObject.self { return dynamic(object) }
        return unsafeDowncast(object, to: Self.self)
    }

    @usableFromInline static func dynamic(_ object: ObjectBase) -> Self {
        object.seen(as: Self.self) ?? Self()
    }

    /// Hands the value over to be stored.
    public static func _encode(_ value: ObjectBase, to sink: ElementSink) { sink.object(value) }

    /// Returns a value that stands for a tracing instance's property.
    public static func _trace(_ object: ObjectBase, field: Int) -> Self? {
        KeyPathTrace.follow(object, field, Self.self)
    }

    /// Whether both are the same stored object of one realm, or the same unmanaged object.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool { a.isEqual(b) }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        if place?.hasIdentity ?? false {
            hashStored(into: &hasher)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    /// Hashes the parts that ``isSameObject(as:)`` compares.
    final func hashStored(into hasher: inout Hasher) {
        guard let place else { return hasher.combine(ObjectIdentifier(self)) }
        hasher.combine(place.rootClass.number)
        hasher.combine(place.key)
    }

    final func isEqual(_ other: ObjectBase) -> Bool {
        if self === other { return true }
        guard let place, let otherPlace = other.place, place.hasIdentity, otherPlace.hasIdentity
        else { return false }
        return isSame(as: otherPlace)
    }

    private final func isSame(as other: ObjectReference) -> Bool {
        guard let place else { return false }
        return place.realm === other.realm && place.rootClass.number == other.rootClass.number
            && place.key == other.key && place.steps == other.steps && place.isGone == other.isGone
    }

    /// Whether both are the same stored object, whether or not their class has a primary key.
    public final func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        return other.place.map { isSame(as: $0) } ?? false
    }
}

extension ObjectReference {
    /// Whether two instances for this place are equal. True for an object that is not embedded and is frozen or has a primary
    /// key.
    var hasIdentity: Bool {
        way == nil && (realm.isFrozen || binding.rowClass.primaryKeyIndex != nil)
    }
}

extension ObjectBase {
    /// Whether the object was deleted, or its realm was invalidated. False for an unmanaged object.
    public final var isInvalidated: Bool {
        guard let place else { return false }
        place.realm.checkThread()
        return place.realm.row(of: place) == nil
    }

    /// The realm of the object; nil if it is unmanaged.
    public final var realm: Realm? { place.map { Realm($0.realm) } }

    /// Whether the object shows one version for good.
    public final var isFrozen: Bool { place?.realm.isFrozen ?? false }
}

/// The state of a view that each access to a managed object compares with, reached by a raw pointer.
///
/// A realm owns one; its objects hold its address and the realm itself. Public because accesses are inlined into programs.
public struct ViewState {
    /// The thread that the view was last used on; 0 for a frozen one, which any thread may read.
    @usableFromInline var thread: UInt
    /// The number of changes of the state that objects show. An object of another generation looks its row up again.
    @usableFromInline var generation: UInt64

    /// Instead of a thread's number: each access asks the realm first.
    static let nobody = UInt.max

    init(thread: UInt) {
        self.thread = thread
        generation = 1
    }

    /// The present thread's number.
    @inlinable @inline(__always) static var currentThread: UInt { UInt(pthread_self()) }

    /// Whether an object's cached row from a given generation is valid on the present thread.
    @inlinable @inline(__always)
    func holds(_ generation: UInt64) -> Bool {
        generation == self.generation && (thread == Self.currentThread || thread == 0)
    }
}
