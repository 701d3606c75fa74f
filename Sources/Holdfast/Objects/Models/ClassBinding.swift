import HoldfastRows

/// A class of the program, bound to its table in one version of the schema. Immutable; any thread may use it.
final class ClassBinding: @unchecked Sendable {
    // Unchecked for the class of the program, see ``ModelClass``.

    let model: ModelClass
    let rowClass: RowClass
    /// Where the value of each of the class's properties is.
    let positions: [FieldPosition]
    /// The number of the layout that rows are written in.
    let layoutNumber: UInt32

    /// A property's wrapper: its offset in an object, and the content of the wrapper in a managed object.
    private struct Placement {
        let offset: Int
        let position: FieldPosition
        let wrapper: FieldWrapper
        /// Whether the property has its own values. Inverse links do not.
        let isExplicit: Bool
    }
    private let placements: [Placement]
    /// The property of each member; nil for members that the program does not declare.
    let fieldOfMember: [Int?]
    /// The binding of ``DynamicObject``s of the class; nil for that itself.
    private let dynamic: ClassBinding?

    /// Nil when the table lacks a property of the class.
    init?(_ model: ModelClass, _ rowClass: RowClass) {
        self.model = model
        self.rowClass = rowClass
        var positions: [FieldPosition] = []
        var placements: [Placement] = []
        var fieldOfMember = [Int?](repeating: nil, count: rowClass.members.count)
        for (field, declared) in model.fields.enumerated() {
            guard let member = rowClass.names.position(of: declared.columnName) else { return nil }
            fieldOfMember[member] = field
            let compiled = rowClass.members[member]
            let isPlain = compiled.storage.shape == .single && !compiled.isOptional
            let element = compiled.storage.element
            let isRead = isPlain && (element.fixedByteCount != nil || element == .string)
            let position = FieldPosition(
                member: member, slot: isRead ? rowClass.currentLocation(member).slot : -1)
            positions.append(position)
            placements.append(
                Placement(
                    offset: declared.offset, position: position, wrapper: declared.storage,
                    isExplicit: declared.shape.kind != .origins))
        }
        self.positions = positions
        self.placements = placements
        layoutNumber = rowClass.layout.number
        self.fieldOfMember = fieldOfMember
        dynamic = ClassBinding(dynamic: model, rowClass, positions, fieldOfMember)
    }

    private init(
        dynamic model: ModelClass, _ rowClass: RowClass, _ positions: [FieldPosition],
        _ fieldOfMember: [Int?]
    ) {
        self.model = model
        self.rowClass = rowClass
        self.positions = positions
        self.fieldOfMember = fieldOfMember
        layoutNumber = rowClass.layout.number
        placements = []
        dynamic = nil
    }

    /// Whether objects are ``DynamicObject``s, which have no properties themselves.
    var isDynamic: Bool { dynamic == nil }

    /// The binding with objects of a type: this binding, or the binding of ``DynamicObject``s.
    func seen(as type: ObjectBase.Type) -> ClassBinding {
        type == DynamicObject.self ? dynamic ?? self : self
    }

    /// Makes a managed object.
    func makeObject() -> ObjectBase {
        let object = isDynamic ? DynamicObject() : model.type.init()
        place(object)
        return object
    }

    /// Writes the location of the values into an object of the class that has no values itself.
    func place(_ object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for placement in placements {
            (base + placement.offset).storeBytes(of: placement.position, as: FieldPosition.self)
        }
    }

    /// Turns an unmanaged object into a managed one.
    func manage(_ object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for placement in placements {
            placement.wrapper.type.manage(base + placement.offset, object, placement.position)
        }
    }

    /// Adds all values of an unmanaged object to a draft.
    func state(_ object: ObjectBase, in draft: ObjectDraft, _ graph: ObjectGraph) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for placement in placements where placement.isExplicit {
            placement.wrapper.type.state(
                base + placement.offset,
                in: Statement(draft: draft, member: Int(placement.position.member), graph: graph))
        }
    }
}
