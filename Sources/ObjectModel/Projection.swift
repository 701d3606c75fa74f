/// A view of the objects of a class: some of their properties, perhaps renamed, and values of other objects that are reached
/// along paths.
package struct Projection: Equatable, Sendable {
    /// One property of a projection.
    package struct Property: Equatable, Sendable {
        /// The name, unique in the projection.
        @Exact package var name: String
        /// The property names that lead to the value, from the base class on.
        @Exact package var path: [String]
        /// The projection that shows the objects at the end of the path; nil to show the path's own value.
        @Exact package var projection: String?

        package init(name: String, path: [String], projection: String? = nil) {
            self.name = name
            self.path = path
            self.projection = projection
        }

        /// The path in the form that clients use.
        package var pathText: String { path.joined(separator: ".") }
    }

    /// The name, unique among projections and classes.
    @Exact package var name: String
    /// The class of the shown objects.
    @Exact package var className: String
    /// The properties in declaration order.
    package var properties: [Property]

    package init(name: String, className: String, properties: [Property]) {
        self.name = name
        self.className = className
        self.properties = properties
    }
}
