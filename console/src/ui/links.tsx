import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Extra = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps | keyof ButtonProps | 'href'> & {
    ref?: Ref<HTMLAnchorElement>;
};

/** A link in a text or a table, to an address of the console: `to`, `params` and `search` are checked. */
export const AnchorLink = createLink((props: AnchorProps & Extra) => <Anchor size="sm" {...props} />);

/** A link that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & Extra) => <Button component="a" {...props} />);
