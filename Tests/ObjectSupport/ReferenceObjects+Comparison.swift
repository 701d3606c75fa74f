import HoldfastObjectModel
import HoldfastObjectStore

extension ReferenceObjects {
    /// What differs between the reference and a store; what the store has made up is taken over.
    package mutating func differences(from stored: StoreContents) -> [String] {
        var differences: [String] = []
        for (identity, object) in objects {
            guard let other = stored.objects[identity] else {
                differences.append("\(identity) is missing")
                continue
            }
            var content = object.content
            adopt(&content, other.content)
            objects[identity]?.content = content
            for name in Set(content.keys).union(other.content.keys)
            where content[name] != other.content[name] {
                differences.append(
                    "\(identity).\(name): expected \(content[name] ?? .null), "
                        + "stored \(other.content[name] ?? .null)")
            }
            if object.version != other.version {
                differences.append(
                    "\(identity): expected version \(object.version), stored \(other.version)")
            }
        }
        for identity in stored.objects.keys where objects[identity] == nil {
            differences.append("\(identity) should not be there")
        }
        return differences + orderDifferences(from: stored)
    }

    /// The classes whose objects are not in the order in which they were made.
    private func orderDifferences(from stored: StoreContents) -> [String] {
        var differences: [String] = []
        for name in classes.keys.sorted() {
            let own = objects.filter { $0.key.className == name }
            let wanted = own.sorted { $0.value.birth < $1.value.birth }.map(\.key)
            let found = own.keys.sorted {
                stored.objects[$0]?.key ?? 0 < stored.objects[$1]?.key ?? 0
            }
            if found != wanted {
                differences.append("\(name) is in the order \(found), not \(wanted)")
            }
        }
        return differences
    }

    private func adopt(_ content: inout ObjectContent, _ stored: ObjectContent) {
        for (name, value) in content {
            switch (value, stored[name]) {
            case (.generated(let scalar, _), .value(let value)?) where value.scalarType == scalar:
                content[name] = .value(value)
            case (.embedded(var inner), .embedded(let other)?):
                adopt(&inner, other)
                content[name] = .embedded(inner)
            case (.embeddedList(var list), .embeddedList(let others)?)
            where list.count == others.count:
                for index in list.indices { adopt(&list[index], others[index]) }
                content[name] = .embeddedList(list)
            case (.entries(var entries), .entries(let others)?):
                adopt(&entries, others)
                content[name] = .entries(entries)
            default: break
            }
        }
    }
}
