/// How a request names an element of a collection, or the collection: by texts that it holds.
package struct ElementAddress: Sendable {
    /// The name of the element.
    package enum Element: Sendable {
        /// Nothing: the request is about the collection.
        case none
        /// A path: a position or key, and the steps from there into a `mixed` value.
        case path(RequestBytes, [RequestBytes])
        /// A map's key, or the value of an element, as JSON.
        case parameters(key: RequestBytes?, value: RequestBytes?)
    }

    package let object: ObjectAddress
    /// The name of the property.
    package let property: RequestBytes
    package let element: Element

    /// The parameter that names the element, in the path or the query.
    var parameterName: String {
        if case .parameters = element { "key" } else { "element" }
    }

    package init(_ object: ObjectAddress, _ property: RequestBytes, _ element: Element) {
        self.object = object
        self.property = property
        self.element = element
    }
}
