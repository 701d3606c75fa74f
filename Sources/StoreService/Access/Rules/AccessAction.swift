/// An action on an object.
package enum AccessAction: String, CaseIterable, Sendable {
    case read, create, update, delete
}
