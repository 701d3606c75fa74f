import HoldfastRows

/// The part that objects of their own, embedded and asymmetric objects share.
///
/// An object is unmanaged, and holds its values itself, or managed: then it is a view of the stored object, and belongs to the
/// thread, queue or actor of its realm.
open class ObjectBase {
    /// The view that the object is read in; nil for an unmanaged one.
    @exclusivity(unchecked) @usableFromInline final var _view: UnsafePointer<ViewState>?
    /// The generation of the view that ``_row`` is of.
    @exclusivity(unchecked) @usableFromInline final var _generation: UInt64 = 0
    /// The object's row, in the present layout of its class: valid while the generation is the view's.
    @exclusivity(unchecked) @usableFromInline final var _row: UnsafeRawPointer?
    /// The object's row, in any layout.
    final var stored: UnsafeRawPointer?
    // Where a managed object is, see ``place``. Fields each: taking one of them counts no reference to the others.
    /// The realm of a managed object; nil for an unmanaged one.
    final var placeRealm: RealmCore?
    /// Not counted, see ``ObjectPlace/binding``.
    unowned(unsafe) final var placeBinding: ClassBinding?
    final var placeKey: UInt64 = 0
    final var placeWay: InnerWay?
    final var placeCreation: CreatingWrite?
    final var placeEra: UInt = 0

    /// Makes an unmanaged object with the default values of its properties.
    public required init() {}

    /// The name of the class, as its table has it.
    open class func className() -> String { ModelClass.name(of: self) }

    /// The names under which properties are stored, by their names in the class; others keep theirs.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Whether realms whose configuration names no classes have this one.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }
}

@available(*, unavailable)
extension ObjectBase: Sendable {}
