import HoldfastObjectModel

extension StreamDefinition.Target: ExactlyCompared {
    package func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.store, .store): true
        case (.objects(let name), .objects(let otherName)),
            (.outbox(let name), .outbox(let otherName)):
            name.isSame(as: otherName)
        case (.object(let name, let key), .object(let otherName, let otherKey)):
            key == otherKey && name.isSame(as: otherName)
        case (.projection(let name, let key), .projection(let otherName, let otherKey)):
            key == otherKey && name.isSame(as: otherName)
        case (
            .property(let className, let key, let name, let path, let projection),
            .property(
                let otherClass, let otherKey, let otherName, let otherPath, let otherProjection)
        ):
            key == otherKey && path == otherPath && className.isSame(as: otherClass)
                && name.isSame(as: otherName) && projection.isSame(as: otherProjection)
        default: false
        }
    }

    package func hashBytes(into hasher: inout Hasher) {
        switch self {
        case .store: break
        case .objects(let name), .object(let name, _), .projection(let name, _), .outbox(let name),
            .property(_, _, let name, _, _):
            name.hashBytes(into: &hasher)
        }
    }
}
