export interface TreeNode<Row> {
    id: string;
    row: Row;
    children: readonly TreeNode<Row>[];
}

export interface TreeLine<Row> {
    node: TreeNode<Row>;
    /** Roots are 1. */
    level: number;
    parent?: string;
}

/** The lines of a tree that are seen: nothing below what is closed. */
export function flatten<Row>(
    roots: readonly TreeNode<Row>[],
    closed: ReadonlySet<string>,
    level = 1,
    parent?: string,
): TreeLine<Row>[] {
    return roots.flatMap(node => [
        { node, level, parent },
        ...(closed.has(node.id) ? [] : flatten(node.children, closed, level + 1, node.id)),
    ]);
}

/** What of a tree fits, with all that is above it. */
export function prune<Row>(roots: readonly TreeNode<Row>[], fits: (row: Row) => boolean): TreeNode<Row>[] {
    return roots.flatMap(node => {
        const children = prune(node.children, fits);
        return fits(node.row) || children.length > 0 ? [{ ...node, children }] : [];
    });
}

/** Every node of a tree. */
export function every<Row>(roots: readonly TreeNode<Row>[]): TreeNode<Row>[] {
    return flatten(roots, new Set()).map(line => line.node);
}
