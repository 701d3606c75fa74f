import Glibc

/// Finds the route of a request: a tree of path segments compared as bytes.
///
/// A literal segment wins over a parameter, a parameter over a rest. Cost: one comparison a literal
/// at each level; nothing is allocated, and no reference is counted (see ``RouteTree``).
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

    package let routes: [Route]
    let tree: RouteTree
    /// For each node, the methods that it answers, as the value of `Allow`.
    let allowed: [String]

    /// Builds the tree.
    ///
    /// - Throws: ``TableError`` when a pattern is malformed or two routes are the same.
    package init(_ routes: [Route]) throws(TableError) {
        self.routes = routes
        var nodes = [RouteTree.Draft()]
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
        allowed = nodes.map { Router.allow(of: $0, routes) }
        tree = RouteTree(nodes, parameterSegments: parameterSegments, routes)
    }

    private static func child(
        _ nodes: inout [RouteTree.Draft], _ node: Int, literal: [UInt8]
    ) -> Int {
        if let known = nodes[node].literals.first(where: { $0.bytes == literal }) {
            return known.node
        }
        nodes.append(RouteTree.Draft())
        nodes[node].literals.append((literal, nodes.count - 1))
        return nodes.count - 1
    }

    private static func child(
        _ nodes: inout [RouteTree.Draft], _ node: Int,
        _ kind: WritableKeyPath<RouteTree.Draft, Int?>
    ) -> Int {
        if let known = nodes[node][keyPath: kind] { return known }
        nodes.append(RouteTree.Draft())
        nodes[node][keyPath: kind] = nodes.count - 1
        return nodes.count - 1
    }

    private static func allow(of node: RouteTree.Draft, _ routes: [Route]) -> String {
        let get = node.routes[Int(Method.get.rawValue)]
        let answersHead = get >= 0 && routes[get].answersHead
        var names: [String] = []
        for method in Method.allCases {
            let number = node.routes[Int(method.rawValue)]
            if number >= 0 || (method == .head && answersHead) || method == .options {
                names.append(method.name.description)
            }
        }
        return names.joined(separator: ", ")
    }

    /// Finds the route of `segments` for `method`.
    func match(_ method: Method, _ segments: borrowing ContiguousArray<RequestText>) -> Match {
        let node = segments.withUnsafeBufferPointer { tree.find($0) }
        guard node >= 0 else { return .nothing }
        let number = tree.route(node, method)
        if number >= 0 { return .route(number) }
        if method == .head {
            let get = tree.route(node, .get)
            if get >= 0, routes[get].answersHead { return .route(get) }
        }
        return .wrongMethod(node: node)
    }
}
