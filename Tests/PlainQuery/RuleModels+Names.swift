import HoldfastObjectModel
import HoldfastObjectSupport

extension RuleModels {
    /// A property that is unknown to the user and has changed, of an object that existed before and still exists; nil if there is no such property.
    ///
    /// - `isWithin`: Whether to look within embedded objects as well, if they are embedded before and after.
    package func changedUnknown(
        before: VisibilityModels.Contents, after: VisibilityModels.Contents, isWithin: Bool
    ) -> String? {
        func changed(_ name: String, _ old: ObjectContent, _ new: ObjectContent) -> String? {
            let known =
                knownClasses.first { $0.name == name }?.properties
                .flatMap { [$0.name, $0.mapTo].compactMap(\.self) } ?? []
            for (property, value) in old {
                if !known.contains(property) {
                    if new[property] != value { return "\(name).\(property)" }
                } else if isWithin, case .embedded(let was) = value,
                    case .embedded(let now)? = new[property],
                    case .object(let inner)? = classes.first(where: { $0.name == name })?
                        .properties.first(where: { $0.name == property })?.type.element,
                    let found = changed(inner, was, now)
                {
                    return found
                }
            }
            return nil
        }
        for (name, objects) in before {
            for (key, old) in objects {
                if let new = after[name]?[key], let found = changed(name, old, new) {
                    return "\(found) of \(key)"
                }
            }
        }
        return nil
    }

    /// The classes without what is unknown, and without what leads there alone.
    static func removing(
        _ unknown: Set<String>, _ properties: [String: Set<String>], from classes: [ObjectClass]
    ) -> [ObjectClass] {
        var left = classes.filter { !unknown.contains($0.name) }
        for index in left.indices {
            let hidden = properties[left[index].name] ?? []
            left[index].properties.removeAll { hidden.contains($0.name) }
        }
        // Embedded classes that nothing holds any more, others in them, too.
        var held: Set<String> = []
        var next = left.filter { $0.kind != .embedded }
        while let objectClass = next.popLast() {
            for property in objectClass.properties {
                guard case .object(let name)? = property.type.element,
                    let target = left.first(where: { $0.name == name }), target.kind == .embedded,
                    held.insert(name).inserted
                else { continue }
                next.append(target)
            }
        }
        left.removeAll { $0.kind == .embedded && !held.contains($0.name) }
        let names = Set(left.map(\.name))
        for index in left.indices {
            left[index].properties.removeAll { property in
                guard case .object(let name)? = property.type.element else { return false }
                return !names.contains(name)
            }
        }
        let links = Dictionary(
            uniqueKeysWithValues: left.map { ($0.name, Set($0.properties.map(\.name))) })
        for index in left.indices {
            left[index].properties.removeAll { property in
                guard case .linkingObjects(let name, let origin) = property.type else {
                    return false
                }
                return !(links[name]?.contains(origin) ?? false)
            }
        }
        return left
    }
}
