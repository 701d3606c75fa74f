import Glibc
import HoldfastThreads

/// The properties that a key path reads, found by evaluating it once on an instance that notes them.
///
///     KeyPathTrace.of(Person.self) { _ = ($0 as? Person)?[keyPath: \.home?.city] }.chains   // [["home", "city"]]
///
/// A single chain is a name in queries. Several chains, as of a computed property of the root, are the dependencies of the value.
///
/// A type of the program may refuse the default of its stored type. The getter of such a property has no value to return, so it
/// never returns. Key paths of classes with such properties are evaluated on a separate thread, which then stays in the getter
/// forever. This takes one thread for each key path to such a property, because names are found only once.
final class KeyPathTrace: @unchecked Sendable {
    // Unchecked: it is used on the thread that evaluates a key path, and afterwards on the thread that waits for the evaluation.

    /// A property that was read, and the properties that led to it.
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
    /// The property that was read last.
    private var lastRead: (node: Node, field: Int)?
    /// Whether the evaluation is over, if it has a separate thread.
    private var isOver: Monitor<Bool>?
    /// Whether the evaluation ended at a property that has no value.
    private(set) var isCut = false

    /// Evaluates `body` on a tracing instance of a class.
    static func of(
        _ type: ObjectBase.Type, _ body: @escaping (ObjectBase) -> Void
    ) -> KeyPathTrace {
        let trace = KeyPathTrace()
        nonisolated(unsafe) let body = body
        let evaluate: @Sendable () -> Void = {
            $current.withValue(trace) { body(trace.instance(type, nil)) }
        }
        guard mayRefuse(type) else {
            evaluate()
            return trace
        }
        let isOver = Monitor(false)
        trace.isOver = isOver
        let isStarted = startThreadIfPossible {
            evaluate()
            isOver.update { $0 = true }
        }
        if isStarted {
            isOver.wait { $0 ? () : nil }
        } else {
            trace.isOver = nil
            evaluate()
        }
        return trace
    }

    /// Whether a class, or a class that it links to, has properties with types that may have no value for them.
    private static func mayRefuse(_ type: ObjectBase.Type) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var rest = [type]
        while let type = rest.popLast() {
            guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
            for field in ModelClass.of(type).fields {
                if case .known(let wrapper) = field.storage,
                    wrapper.valueType is any FailableCustomPersistable.Type
                {
                    return true
                }
                if case .object(let reference) = field.shape.element.kind {
                    rest.append(reference.type)
                }
            }
        }
        return false
    }

    /// Ends the evaluation, because the property that was read last has no value.
    static func endReading() -> Never {
        guard let trace = current, let isOver = trace.isOver else {
            Misuse.end(valueMissing(current?.lastName ?? ""))
        }
        trace.isCut = true
        isOver.update { $0 = true }
        while true { pause() }
    }

    /// The message of a key path that needs the value of a property that has no value.
    static func valueMissing(_ property: String) -> String {
        "The key path needs a value of '\(property)', but its type can't be made from the default of its stored type: declare the property as optional, and write '?' after it."
    }

    /// The property that was read last, with its class.
    var lastName: String {
        guard let lastRead else { return "" }
        let model = ModelClass.of(type(of: lastRead.node.object))
        return "\(model.name).\(model.fields[lastRead.field].name)"
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
        current?.lastRead = (node, field)
    }

    /// Notes that a link of a tracing instance was read, and returns the instance that stands for its target.
    static func follow<T: ObjectBase>(_ object: ObjectBase, _ field: Int, _ type: T.Type) -> T {
        note(object, field)
        guard let trace = current, let node = trace.nodes[ObjectIdentifier(object)] else {
            return T()
        }
        return trace.target(of: node, field, type) as? T ?? T()
    }

    private func target(of node: Node, _ field: Int, _ type: ObjectBase.Type) -> ObjectBase {
        if let present = node.targets[field] { return present }
        let target = instance(type, (node, field))
        node.targets[field] = target
        return target
    }

    /// Notes that the properties of paths, which lead from a tracing instance, were read.
    static func note(_ object: ObjectBase, paths: [String]) {
        guard let trace = current else { return }
        for path in paths {
            var object = object
            for name in path.split(separator: ".") {
                let model = ModelClass.of(type(of: object))
                guard let field = model.position(of: String(name)),
                    let node = trace.nodes[ObjectIdentifier(object)]
                else { break }
                note(object, field)
                guard case .object(let reference) = model.fields[field].shape.element.kind else {
                    break
                }
                object = trace.target(of: node, field, reference.type)
            }
        }
    }

    /// The chains of names that were read, the longest of each.
    var chains: [[String]] {
        var chains: [[String]] = []
        for node in order {
            let prefix = Self.names(to: node)
            let model = ModelClass.of(type(of: node.object))
            for field in node.fields {
                // A property that leads on is part of a longer chain.
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
