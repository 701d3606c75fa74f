/// Where the objects of an import go.
package enum ImportTarget: Sendable {
    /// Into the class of this name: a line is an object.
    case objects(className: String)
    /// Into their own classes: a whole store, as `GET /v1/export` writes it.
    case store
}
