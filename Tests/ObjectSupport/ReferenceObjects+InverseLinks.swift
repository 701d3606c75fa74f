import HoldfastObjectModel

extension ReferenceObjects {
    /// How often each object links to a target by a property of a class, its own or that of an embedded
    /// object in it.
    func origins(of target: Identity, _ className: String, _ property: String) -> [Identity: Int] {
        var result: [Identity: Int] = [:]
        for (origin, object) in objects {
            guard let objectClass = classes[origin.className], objectClass.kind == .object else {
                continue
            }
            let count = linkCount(objectClass, object.content, target.link, className, property)
            if count > 0 { result[origin] = count }
        }
        return result
    }

    private func linkCount(
        _ objectClass: ObjectClass, _ content: ObjectContent, _ link: Value, _ className: String,
        _ name: String
    ) -> Int {
        var count = 0
        for property in objectClass.properties {
            guard let value = content[property.name] else { continue }
            if objectClass.name == className, property.name == name {
                count += value.linksInMixed.count { $0 == link }
            }
            guard case .object(let target)? = property.type.element,
                let inner = classes[target], inner.kind == .embedded
            else { continue }
            for part in Self.inner(value) {
                count += linkCount(inner, part, link, className, name)
            }
        }
        return count
    }
}
