import Synchronization

/// The properties that a key path reads, found by evaluating it once on an instance that notes them.
///
///     KeyPathTrace.chains(of: \Person.home.city)   // [["home", "city"]]
///
/// One chain is a name in queries; several, as of a computed property of the root, are what the value depends on.
final class KeyPathTrace: @unchecked Sendable {
    // Unchecked: it is used on the thread that evaluates a key path, and gone behind that.

    /// A property that was read, and those before it that led there.
    private final class Node {
        let object: ObjectBase
        let parent: (node: Node, field: Int)?
        /// The properties that were read of the object, in order.
        var fields: [Int] = []
        /// The objects that stand for the targets of its links, by property: each is made once.
        var targets: [Int: ObjectBase] = [:]

        init(_ object: ObjectBase, _ parent: (node: Node, field: Int)?) {
            self.object = object
            self.parent = parent
        }
    }

    @TaskLocal private static var current: KeyPathTrace?

    /// Whether a key path is being evaluated on tracing instances.
    static var isTracing: Bool { current != nil }

    private var nodes: [ObjectIdentifier: Node] = [:]
    private var order: [Node] = []

    /// Evaluates `body` on a tracing instance of a class and returns the chains of names that it read, the longest of each.
    static func chains(in type: ObjectBase.Type, _ body: (ObjectBase) -> Void) -> [[String]] {
        let trace = KeyPathTrace()
        return $current.withValue(trace) {
            let root = trace.instance(type, nil)
            body(root)
            return trace.chains
        }
    }

    private func instance(_ type: ObjectBase.Type, _ parent: (node: Node, field: Int)?)
        -> ObjectBase
    {
        let model = ModelClass.of(type)
        let object = type.init()
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (field, declared) in model.fields.enumerated() {
            (base + declared.offset).storeBytes(
                of: FieldPosition(tracing: field), as: FieldPosition.self)
        }
        let node = Node(object, parent)
        nodes[ObjectIdentifier(object)] = node
        order.append(node)
        return object
    }

    /// Notes that a property of a tracing instance was read.
    static func note(_ object: ObjectBase, _ field: Int) {
        guard let node = current?.nodes[ObjectIdentifier(object)] else { return }
        if !node.fields.contains(field) { node.fields.append(field) }
    }

    /// Notes that a link of a tracing instance was read, and returns the instance that stands for its target.
    static func follow<T: ObjectBase>(_ object: ObjectBase, _ field: Int, _ type: T.Type) -> T {
        note(object, field)
        guard let trace = current, let node = trace.nodes[ObjectIdentifier(object)] else {
            return T()
        }
        if let present = node.targets[field] as? T { return present }
        let target = trace.instance(type, (node, field))
        node.targets[field] = target
        return target as? T ?? T()
    }

    private var chains: [[String]] {
        var chains: [[String]] = []
        for node in order {
            let prefix = Self.names(to: node)
            let model = ModelClass.of(type(of: node.object))
            for field in node.fields {
                // What leads on is part of a longer chain.
                if let target = node.targets[field], let next = nodes[ObjectIdentifier(target)],
                    !next.fields.isEmpty
                {
                    continue
                }
                chains.append(prefix + [model.fields[field].name])
            }
        }
        return chains
    }

    private static func names(to node: Node) -> [String] {
        guard let (parent, field) = node.parent else { return [] }
        return names(to: parent) + [ModelClass.of(type(of: parent.object)).fields[field].name]
    }
}
