import Glibc

/// Finds the route of a request: a tree of path segments compared as bytes.
///
/// A literal segment wins over a parameter, a parameter over a rest. Cost: one comparison a literal
/// at each level; nothing is allocated.
package struct Router: Sendable {
    /// Why a table of routes cannot be used.
    package enum TableError: Error, Equatable {
        case notAPath(String)
        case duplicate(String)
        /// `{name*}` stands before the end.
        case restNotLast(String)
    }

    enum Match {
        case route(Int)
        /// The path exists, but not with this method. The node tells which methods do.
        case wrongMethod(node: Int)
        case nothing
    }

    private struct Literal: Sendable {
        let bytes: [UInt8]
        let node: Int
    }

    private struct Node: Sendable {
        var literals: [Literal] = []
        var parameter: Int?
        var rest: Int?
        /// Route number by method, -1 for none.
        var routes = [Int](repeating: -1, count: Method.allCases.count)
        var hasRoutes = false
        var allow = ""
    }

    package let routes: [Route]
    /// For each route, the segment number of each of its parameters.
    let parameterSegments: [[Int]]
    private var nodes: [Node] = [Node()]

    /// Builds the tree.
    ///
    /// - Throws: ``TableError`` when a pattern is malformed or two routes are the same.
    package init(_ routes: [Route]) throws(TableError) {
        self.routes = routes
        var parameterSegments: [[Int]] = []
        for (number, route) in routes.enumerated() {
            parameterSegments.append([])
            guard route.pattern.utf8.first == UInt8(ascii: "/") else {
                throw .notAPath(route.pattern)
            }
            var node = 0
            let parts = route.pattern.dropFirst().split(
                separator: "/", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                guard part.first == "{", part.last == "}" else {
                    node = Router.child(&nodes, node, literal: Array(part.utf8))
                    continue
                }
                parameterSegments[number].append(index)
                if part.hasSuffix("*}") {
                    guard index == parts.count - 1 else { throw .restNotLast(route.pattern) }
                    node = Router.child(&nodes, node, \.rest)
                } else {
                    node = Router.child(&nodes, node, \.parameter)
                }
            }
            let slot = Int(route.method.rawValue)
            guard nodes[node].routes[slot] < 0 else {
                throw .duplicate("\(route.method.name) \(route.pattern)")
            }
            nodes[node].routes[slot] = number
            nodes[node].hasRoutes = true
        }
        self.parameterSegments = parameterSegments
        for index in nodes.indices { nodes[index].allow = allow(of: nodes[index]) }
    }

    private static func child(_ nodes: inout [Node], _ node: Int, literal: [UInt8]) -> Int {
        if let known = nodes[node].literals.first(where: { $0.bytes == literal }) {
            return known.node
        }
        nodes.append(Node())
        nodes[node].literals.append(Literal(bytes: literal, node: nodes.count - 1))
        return nodes.count - 1
    }

    private static func child(
        _ nodes: inout [Node], _ node: Int, _ kind: WritableKeyPath<Node, Int?>
    ) -> Int {
        if let known = nodes[node][keyPath: kind] { return known }
        nodes.append(Node())
        nodes[node][keyPath: kind] = nodes.count - 1
        return nodes.count - 1
    }

    private func allow(of node: Node) -> String {
        var names: [String] = []
        for method in Method.allCases {
            let number = node.routes[Int(method.rawValue)]
            if number >= 0 || (method == .head && headRoute(node) != nil) || method == .options {
                names.append(method.name.description)
            }
        }
        return names.joined(separator: ", ")
    }

    private func headRoute(_ node: Node) -> Int? {
        let get = node.routes[Int(Method.get.rawValue)]
        return get >= 0 && routes[get].answersHead ? get : nil
    }

    /// The methods that the path of `node` answers, as the value of `Allow`.
    func allowedMethods(_ node: Int) -> String { nodes[node].allow }

    /// Finds the route of `segments` for `method`.
    func match(_ method: Method, _ segments: borrowing ContiguousArray<RequestText>) -> Match {
        let node = segments.withUnsafeBufferPointer { find(0, $0, 0) }
        guard node >= 0 else { return .nothing }
        let number = nodes[node].routes[Int(method.rawValue)]
        if number >= 0 { return .route(number) }
        if method == .head, let get = headRoute(nodes[node]) { return .route(get) }
        return .wrongMethod(node: node)
    }

    /// The node of the whole path, or -1. It goes back to a parameter when a literal leads nowhere.
    private func find(
        _ node: Int, _ segments: UnsafeBufferPointer<RequestText>, _ index: Int
    ) -> Int {
        if index == segments.count { return nodes[node].hasRoutes ? node : -1 }
        let segment = segments[index]
        for literal in nodes[node].literals
        where literal.bytes.count == segment.count
            && literal.bytes.withUnsafeBufferPointer({
                areEqual($0.baseAddress, segment.bytes.baseAddress, $0.count)
            })
        {
            let found = find(literal.node, segments, index + 1)
            if found >= 0 { return found }
        }
        guard !segment.isEmpty else { return -1 }
        if let parameter = nodes[node].parameter {
            let found = find(parameter, segments, index + 1)
            if found >= 0 { return found }
        }
        return nodes[node].rest ?? -1
    }
}
