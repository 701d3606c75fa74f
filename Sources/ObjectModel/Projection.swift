/// A view of the objects of a class: some of their properties, perhaps under other names, and values that
/// stand elsewhere and are reached along paths.
package struct Projection: Equatable, Sendable {
    /// One property of a projection.
    package struct Property: Equatable, Sendable {
        /// Its name, unique in the projection.
        @Exact package var name: String
        /// The names of properties that lead to the value, from the base class on.
        @Exact package var path: [String]
        /// The projection that shows the objects at the end of the path; nil for what the path holds
        /// itself.
        @Exact package var projection: String?

        /// Makes a property.
        package init(name: String, path: [String], projection: String? = nil) {
            self.name = name
            self.path = path
            self.projection = projection
        }

        /// The path as clients write it.
        package var pathText: String { path.joined(separator: ".") }
    }

    /// Its name, unique among projections and classes.
    @Exact package var name: String
    /// The class whose objects it shows.
    @Exact package var className: String
    /// Its properties in declaration order.
    package var properties: [Property]

    /// Makes a projection.
    package init(name: String, className: String, properties: [Property]) {
        self.name = name
        self.className = className
        self.properties = properties
    }
}
