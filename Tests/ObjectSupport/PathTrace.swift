import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Follows the paths of a query through plain contents, as the model that observation is compared with.
package struct PathTrace {
    /// A property's value at the end of a path.
    package struct Entry: Hashable {
        /// The object that holds it, itself or in embedded objects.
        package var owner: ObjectIdentity
        /// The object's own property.
        package var property: String
        /// What that property holds.
        package var content: Content?
    }

    private struct Place {
        var owner: Identity
        var content: ObjectContent
        /// The owner's property that the place lies in; nil for the owner itself.
        var property: String?
    }

    private let contents: StoreContents
    private let schema: RowSchema

    /// Follows paths in `contents`.
    package init(_ contents: StoreContents, _ schema: RowSchema) {
        self.contents = contents
        self.schema = schema
    }

    /// What an object's dependencies lead to, its own properties aside.
    package func entries(of root: Identity, _ dependencies: [Dependency]) -> Set<Entry> {
        var found: Set<Entry> = []
        guard let object = contents.objects[root] else { return found }
        for dependency in dependencies {
            var places = [Place(owner: root, content: object.content, property: nil)]
            for step in dependency.path { places = places.flatMap { follow(step, $0) } }
            for place in places where place.owner != root {
                let name = schema.classes[dependency.classIndex].definition
                    .properties[dependency.member].name
                let property = place.property ?? name
                found.insert(
                    Entry(
                        owner: identity(place.owner), property: property,
                        content: contents.objects[place.owner]?.content[property]))
            }
        }
        return found
    }

    private func identity(_ name: Identity) -> ObjectIdentity {
        ObjectIdentity(
            classIndex: schema.classIndex[name.className] ?? -1,
            key: contents.objects[name]?.key ?? 0)
    }

    private func follow(_ step: PathStep, _ place: Place) -> [Place] {
        if step.kind == .inverse { return origins(step, place.owner) }
        let name = schema.classes[step.fromClass].definition.properties[step.member].name
        guard var content = place.content[name] else { return [] }
        switch (step.kind, content) {
        case (.linkAt(let position), .values(let values)):
            content = .values(position.offset(in: values.count).map { [values[$0]] } ?? [])
        case (.linkAt(.key(let key)), .entries(let entries)),
            (.embeddedAt(.key(let key)), .entries(let entries)):
            content = entries[String(decoding: key, as: UTF8.self)] ?? .null
        case (.embeddedAt(let position), .embeddedList(let list)):
            content = .embeddedList(position.offset(in: list.count).map { [list[$0]] } ?? [])
        default: break
        }
        switch content {
        case .value(let value): return object(value)
        case .values(let values): return values.flatMap { object($0) }
        case .embedded(let inner):
            return [
                Place(owner: place.owner, content: inner, property: place.property ?? name)
            ]
        case .embeddedList(let list):
            return list.map {
                Place(owner: place.owner, content: $0, property: place.property ?? name)
            }
        case .entries(let entries):
            return entries.values.flatMap { entry in
                if case .embedded(let inner) = entry {
                    return [
                        Place(owner: place.owner, content: inner, property: place.property ?? name)
                    ]
                }
                if case .value(let value) = entry { return object(value) }
                return []
            }
        default: return []
        }
    }

    private func object(_ value: Value) -> [Place] {
        guard case .link(let className, let key) = value else { return [] }
        let name = Identity(className, key)
        guard let object = contents.objects[name] else { return [] }
        return [Place(owner: name, content: object.content, property: nil)]
    }

    private func origins(_ step: PathStep, _ target: Identity) -> [Place] {
        let origin = schema.classes[step.toClass].definition
        let name = origin.properties[step.member].name
        var places: [Place] = []
        for (owner, object) in contents.objects {
            if origin.kind == .object {
                guard owner.className == origin.name, let content = object.content[name],
                    links(content, to: target.link)
                else { continue }
                places.append(Place(owner: owner, content: object.content, property: nil))
                continue
            }
            for (property, content) in object.content
            where embeds(content, name, target.link) {
                places.append(Place(owner: owner, content: object.content, property: property))
            }
        }
        return places
    }

    private func links(_ content: Content, to link: Value) -> Bool {
        switch content {
        case .value(let value): value == link
        case .values(let values): values.contains(link)
        case .entries(let entries): entries.values.contains(.value(link))
        default: false
        }
    }

    /// Whether an embedded object in `content`, however deep, links to the target by `name`.
    private func embeds(_ content: Content, _ name: String, _ link: Value) -> Bool {
        let inner: [ObjectContent]
        switch content {
        case .embedded(let one): inner = [one]
        case .embeddedList(let list): inner = list
        case .entries(let entries):
            inner = entries.values.compactMap {
                if case .embedded(let one) = $0 { one } else { nil }
            }
        default: return false
        }
        return inner.contains { object in
            object[name].map { links($0, to: link) } ?? false
                || object.values.contains { embeds($0, name, link) }
        }
    }
}
