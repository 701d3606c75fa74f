import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastTestSupport

/// Makes random JSON patches of objects of a schema: most of them can be applied, some not.
struct RandomPatch {
    /// One step of a patch.
    struct Step {
        var kind: String
        var path: String
        var from: String?
        var value: String?
        /// Whether the value is another writing, or of another type, than what the path shows.
        var isLoose = false

        var json: String {
            var members = ["\"op\":\"\(kind)\"", "\"path\":\(RandomPatch.quoted(path))"]
            if let from { members.append("\"from\":\(RandomPatch.quoted(from))") }
            if let value { members.append("\"value\":\(value)") }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    /// Where a path leads.
    private struct Place {
        var path = ""
        var node: DocumentNode?
        var property: Property?
        var isElement = false
        var isInMixed = false
        /// What two values have to share to be copied from one to the other as they are shown.
        var type: String {
            guard let property else { return "" }
            if isInMixed { return "mixed" }
            return isElement || !property.type.isCollection
                ? "\(String(describing: property.type.element))"
                : "\(property.type)"
        }
    }

    let classes: [ObjectClass]
    /// The keys of the objects of each class, as JSON.
    var keys: [String: [String]] = [:]

    static func quoted(_ text: String) -> String {
        let buffer = ByteBuffer(capacity: 32)
        JSONWriter(buffer).string(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private static func text(_ node: DocumentNode) -> String {
        let buffer = ByteBuffer(capacity: 64)
        node.write(to: JSONWriter(buffer))
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    // MARK: Values

    private func scalar(_ type: ScalarType, _ random: inout SeededGenerator) -> String {
        if type == .mixed { return mixed(2, &random) }
        let buffer = ByteBuffer(capacity: 32)
        SchemaWriter(JSONWriter(buffer)).write(RandomContent.scalar(type, &random))
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private func mixed(_ depth: Int, _ random: inout SeededGenerator) -> String {
        switch Int.random(in: 0...(depth > 0 ? 9 : 6), using: &random) {
        case 0: return "null"
        case 1: return "\(Int.random(in: 0...3, using: &random))"
        case 2: return "1.5"
        case 3: return "\"a\""
        case 4: return "true"
        case 5: return #"{"$date":"2026-11-20T06:38:58Z"}"#
        case 6:
            let all = keys.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            guard let (name, keys) = all.randomElement(using: &random),
                let key = keys.randomElement(using: &random)
            else { return "7" }
            return "{\"$link\":{\"class\":\"\(name)\",\"id\":\(key)}}"
        case 7, 8:
            var parts: [String] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                parts.append(mixed(depth - 1, &random))
            }
            return "[" + parts.joined(separator: ",") + "]"
        default:
            var parts: [String] = []
            for key in ["a", "b", "c"] where Bool.random(using: &random) {
                parts.append("\"\(key)\":" + mixed(depth - 1, &random))
            }
            return "{" + parts.joined(separator: ",") + "}"
        }
    }

    private func element(
        _ property: Property, _ depth: Int, _ random: inout SeededGenerator
    ) -> String {
        if property.isOptional, Int.random(in: 0..<6, using: &random) == 0 { return "null" }
        switch property.type.element {
        case .scalar(let type)?: return scalar(type, &random)
        case .object(let name)?:
            guard let target = classes.first(where: { $0.name == name }) else { return "null" }
            if target.kind == .embedded { return object(target, depth - 1, &random) }
            if let key = target.primaryKey, depth > 1, Int.random(in: 0..<8, using: &random) == 0,
                let property = target.properties.first(where: { $0.name == key }),
                case .scalar(let type)? = property.type.element
            {
                return "{\"\(key)\":" + scalar(type, &random) + "}"
            }
            if Int.random(in: 0..<30, using: &random) == 0 { return "987654" }
            return keys[name]?.randomElement(using: &random) ?? "null"
        case nil: return "null"
        }
    }

    /// A value of a property.
    private func value(
        _ property: Property, _ depth: Int, _ random: inout SeededGenerator
    ) -> String {
        guard property.type.isCollection else { return element(property, depth, &random) }
        let count = Int.random(in: 0...(depth > 1 ? 5 : 1), using: &random)
        if property.type.isMap {
            let keys = ["a", "b", "c", "d", "e"].prefix(count)
            return "{"
                + keys.map { "\"\($0)\":" + element(property, depth, &random) }
                .joined(separator: ",") + "}"
        }
        return "["
            + (0..<count).map { _ in element(property, depth, &random) }.joined(separator: ",")
            + "]"
    }

    /// An object of a class, without what names it.
    func object(
        _ objectClass: ObjectClass, _ depth: Int, _ random: inout SeededGenerator
    ) -> String {
        var members: [String] = []
        for property in objectClass.properties where property.name != objectClass.primaryKey {
            if case .linkingObjects = property.type { continue }
            if depth <= 0, case .object? = property.type.element { continue }
            guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
            members.append("\"\(property.name)\":" + value(property, depth, &random))
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    // MARK: Paths

    private func place(
        _ root: DocumentNode, _ objectClass: ObjectClass, _ random: inout SeededGenerator
    ) -> Place {
        var place = Place(node: root)
        var objectClass = objectClass
        func go(_ step: String) {
            let escaped = step.replacing("~", with: "~0").replacing("/", with: "~1")
            place.path += "/" + escaped
            switch place.node?.content {
            case .object(let members)?: place.node = members[Array(step.utf8)]
            case .array(let elements)?:
                let index = Int(step)
                place.node = index.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: place.node = nil
            }
        }
        func step(isMap: Bool) -> String {
            switch place.node?.content {
            case .array(let elements)? where !isMap:
                if Int.random(in: 0..<4, using: &random) == 0 { return "-" }
                return
                    "\(Int.random(in: 0...(elements.count + (Bool.random(using: &random) ? 0 : 1)), using: &random))"
            case .object(let members)?:
                let names = members.members.map { String(decoding: $0.name, as: UTF8.self) }
                return (names + ["z", "a"]).randomElement(using: &random) ?? "a"
            default: return isMap ? "a" : "0"
            }
        }
        func again(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &random) > 0 }
        for _ in 0..<4 {
            if Int.random(in: 0..<40, using: &random) == 0 {
                go("nothing")
                place.property = nil
                return place
            }
            guard let property = objectClass.properties.randomElement(using: &random) else {
                return place
            }
            go(property.name)
            place.property = property
            place.isElement = false
            guard property.type.isCollection ? again(4) : true else { return place }
            if property.type.isCollection {
                go(step(isMap: property.type.isMap))
                place.isElement = true
            }
            if property.type.element == .scalar(.mixed) {
                while again(2), place.node.map({ Self.isContainer($0) }) ?? again(4) {
                    go(step(isMap: false))
                    place.isInMixed = true
                }
                return place
            }
            guard case .object(let name)? = property.type.element,
                let target = classes.first(where: { $0.name == name }), target.kind == .embedded,
                again(3)
            else { return place }
            objectClass = target
        }
        return place
    }

    private static func isContainer(_ node: DocumentNode) -> Bool {
        switch node.content {
        case .array: true
        // What stands for a value of a kind has no parts.
        case .object(let members): !members.members.contains { $0.name.first == 0x24 }
        default: false
        }
    }

    /// A patch of an object that is shown by a document.
    func steps(
        _ root: DocumentNode, _ objectClass: ObjectClass, _ random: inout SeededGenerator
    ) -> [Step] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let place = place(root, objectClass, &random)
            func new() -> String {
                if Int.random(in: 0..<12, using: &random) == 0 {
                    // An object without a key may be a new one, with a random key.
                    return mixed(2, &random).replacing("{}", with: "7")
                }
                guard let property = place.property else { return "1" }
                if place.isInMixed { return mixed(1, &random) }
                return place.isElement
                    ? element(property, 2, &random) : value(property, 2, &random)
            }
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2: return Step(kind: "add", path: place.path, value: new())
            case 3, 4: return Step(kind: "replace", path: place.path, value: new())
            case 5: return Step(kind: "remove", path: place.path)
            case 6, 7:
                if let node = place.node, Int.random(in: 0..<5, using: &random) > 0 {
                    return Step(kind: "test", path: place.path, value: Self.text(node))
                }
                return Step(kind: "test", path: place.path, value: new(), isLoose: true)
            default:
                var source = self.place(root, objectClass, &random)
                for _ in 0..<20 where source.type != place.type || source.node == nil {
                    source = self.place(root, objectClass, &random)
                }
                return Step(
                    kind: Bool.random(using: &random) ? "copy" : "move", path: place.path,
                    from: source.path, isLoose: source.type != place.type)
            }
        }
    }
}
