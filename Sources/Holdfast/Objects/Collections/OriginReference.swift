import HoldfastObjectStore
import HoldfastRows
import Synchronization

/// The inverse link of a managed object. Used only where its realm belongs; any thread may use one of a frozen object.
final class OriginReference {
    /// The origins that were found, and the generation of the view.
    private struct Found {
        var generation: UInt64 = 0
        var keys: [UInt64] = []
        var embedded: [EmbeddedOrigin] = []
    }

    let object: ObjectBase
    let field: Int
    /// Guarded by a lock, because several threads may read frozen objects at the same time.
    private let found = Mutex(Found())

    /// - `member`: The property, by its position in the object's table.
    init(_ object: ObjectBase, member: Int) {
        self.object = object
        field = object.place?.binding.fieldOfMember[member] ?? 0
    }

    /// - `field`: The property, by its position in the object's class.
    init(_ object: ObjectBase, field: Int) {
        self.object = object
        self.field = field
    }

    private var place: ObjectReference {
        guard let place = object.place else { Misuse.end("The object is not managed.") }
        return place
    }

    var realm: RealmCore { place.realm }

    /// The name under which the property is stored.
    var columnName: String { place.binding.model.fields[field].columnName }

    /// The property in the present version of the schema.
    private var compiled: RowClass.Member {
        place.binding.rowClass.members[Int(place.binding.positions[field].member)]
    }

    var binding: ClassBinding { realm.binding(ofClass: compiled.classIndex) }

    /// Whether the origins are embedded objects, which have no object keys.
    var isOfEmbedded: Bool { binding.model.kind == .embedded }

    func isSame(as other: OriginReference) -> Bool {
        field == other.field && object.isSameObject(as: other.object)
    }

    /// The keys of the present origins. A key occurs as often as the origin links. For embedded origins, their positions among
    /// the embedded objects.
    var keys: [UInt64] { present.keys }

    func origin(_ key: UInt64) -> ObjectBase {
        let (realm, binding) = (realm, binding)
        guard isOfEmbedded else { return realm.object(binding, key: key, row: nil) }
        let origin = present.embedded[Int(key)]
        let way = realm.way(origin.steps, of: origin.rootClass, origin.key, isCollection: false)
        return realm.object(ObjectReference(realm, binding, key: origin.key, way: way), nil)
    }

    /// The embedded objects that link, in the order of ``keys``; nil if the origins are not embedded.
    var embedded: [EmbeddedOrigin]? { isOfEmbedded ? present.embedded : nil }

    private var present: Found {
        let realm = realm
        realm.checkThread()
        let view = realm.view
        let known = found.withLock { $0 }
        if known.generation == realm.state.pointee.generation { return known }
        let place = object.requireRow().place
        var new = Found()
        if isOfEmbedded {
            new.embedded = view.embeddedOrigins(of: place, through: compiled)
            new.keys = new.embedded.indices.map { UInt64($0) }
        } else {
            new.keys = view.originKeys(of: place, through: compiled)
        }
        new.generation = realm.state.pointee.generation
        found.withLock { [new] in $0 = new }
        return new
    }
}

/// An embedded object that links to another object, or contains it.
struct EmbeddedOrigin {
    /// The class, and below the key, of the object that contains the embedded object.
    let rootClass: RowClass
    let key: UInt64
    let steps: [NestedPath.Step]

    func row(in view: StoreView) -> RowView? {
        let owners = NestedPath(steps, of: rootClass, isCollection: false).owners
        return view.row(classIndex: rootClass.index, key: key).flatMap {
            rootClass.embedded(along: owners, in: $0, of: view.rows, view)?.row
        }
    }
}

extension StoreView {
    /// The keys of the objects that link to an object. A key occurs as often as its object links. For an embedded object, the key
    /// of the object that contains it.
    ///
    /// - `member`: The inverse link, with origins that are not embedded.
    func originKeys(of place: ObjectReference, through member: RowClass.Member) -> [UInt64] {
        if place.way != nil {
            let holder = holder(of: place, through: member)
            return holder.map { $0.steps.isEmpty ? [$0.key] : [] } ?? []
        }
        var keys: [UInt64] = []
        scanOrigins(of: place, through: member) { origin, count in
            for _ in 0..<count { keys.append(origin.key) }
        }
        return keys
    }

    /// The embedded objects that link to an object. Each occurs as often as it links. For an embedded object, the embedded object
    /// that contains it.
    ///
    /// Cost: linear in the number of embedded objects in the owners.
    ///
    /// - `member`: The inverse link, with embedded origins.
    func embeddedOrigins(
        of place: ObjectReference, through member: RowClass.Member
    ) -> [EmbeddedOrigin] {
        if place.way != nil { return holder(of: place, through: member).map { [$0] } ?? [] }
        let originClass = rows.classes[member.classIndex]
        let number = originClass.members[member.originProperty].number
        let target = rows.rowClass(named: place.rootClass.definition.name)?.index
        var origins: [EmbeddedOrigin] = []
        scanOrigins(of: place, through: member) { origin, _ in
            guard let row = row(classIndex: origin.classIndex, key: origin.key) else { return }
            let rootClass = rows.classes[origin.classIndex]
            forEachEmbedded(in: row, of: rootClass, []) { embedded, rowClass, steps in
                guard rowClass === originClass else { return }
                rows.forEachLink(
                    of: rowClass, in: embedded, only: MemberSet([member.originProperty]), self
                ) { property, targetClass, key in
                    guard property == number, targetClass == target, key == place.key else {
                        return
                    }
                    origins.append(
                        EmbeddedOrigin(rootClass: rootClass, key: origin.key, steps: steps))
                }
            }
        }
        return origins
    }

    private func scanOrigins(
        of place: ObjectReference, through member: RowClass.Member,
        _ body: (_ origin: ObjectIdentity, _ count: Int) -> Void
    ) {
        guard let rowClass = rows.rowClass(named: place.rootClass.definition.name) else { return }
        let property = rows.classes[member.classIndex].members[member.originProperty].number
        scanOrigins(rowClass.index, place.key, property: property) { origin, _, count in
            body(origin, count)
            return true
        }
    }

    /// The object that contains an embedded object; nil if it does so in another property than the inverse link's.
    private func holder(
        of place: ObjectReference, through member: RowClass.Member
    ) -> EmbeddedOrigin? {
        let owners = place.owners
        guard let last = owners.last, last.member == member.originProperty,
            let rootClass = rows.rowClass(named: place.rootClass.definition.name),
            let root = row(classIndex: rootClass.index, key: place.key),
            let holder = rootClass.embedded(
                along: Array(owners.dropLast()), in: root, of: rows, self),
            holder.rowClass.index == member.classIndex
        else { return nil }
        return EmbeddedOrigin(
            rootClass: rootClass, key: place.key,
            steps: Array(place.steps.dropLast(last.element == nil ? 1 : 2)))
    }

    /// Hands over the embedded objects of an object, including embedded objects within others.
    private func forEachEmbedded(
        in row: RowView, of rowClass: RowClass, _ steps: [NestedPath.Step],
        _ body: (_ embedded: RowView, _ rowClass: RowClass, _ steps: [NestedPath.Step]) -> Void
    ) {
        for (member, compiled) in rowClass.members.enumerated() where compiled.isEmbedded {
            let inner = rows.classes[compiled.classIndex]
            func take(_ embedded: RowView, _ steps: [NestedPath.Step]) {
                body(embedded, inner, steps)
                forEachEmbedded(in: embedded, of: inner, steps, body)
            }
            let steps = steps + [.member(member)]
            guard compiled.storage.shape != .single else {
                if let embedded = rowClass.embedded(member, in: row) { take(embedded, steps) }
                continue
            }
            let all = rowClass.collection(member, in: row, self)
            all.forEach(within: nil) { part, offset, index in
                guard !part.isNull(offset), let embedded = RowView(part.bytes(offset)) else {
                    return true
                }
                let step = all.key(index).map { NestedPath.Step.key(Array($0)) } ?? .index(index)
                take(embedded, steps + [step])
                return true
            }
        }
    }
}
