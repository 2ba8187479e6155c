import { PasswordInput } from '@mantine/core';
import { text } from '../texts';

/** The least that the server takes. */
const LEAST = 12;

export interface NewPassword {
    password: string;
    again: string;
}

export const isComplete = ({ password, again }: NewPassword) =>
    password.length >= LEAST && password === again;

/** A password, twice, so that a slip is noticed. */
export function NewPasswordFields(props: {
    value: NewPassword;
    error?: string;
    onChange(value: NewPassword): void;
}) {
    const { value, error, onChange } = props;
    const isShort = value.password !== '' && value.password.length < LEAST;
    const differ = value.again !== '' && value.again !== value.password;
    return (
        <>
            <PasswordInput
                label={text.session.invitation.new}
                description={text.session.invitation.short}
                autoComplete="new-password"
                required
                value={value.password}
                error={error ?? (isShort ? text.session.invitation.short : undefined)}
                onChange={event => onChange({ ...value, password: event.currentTarget.value })}
            />
            <PasswordInput
                label={text.session.invitation.again}
                autoComplete="new-password"
                required
                value={value.again}
                error={differ ? text.session.invitation.differ : undefined}
                onChange={event => onChange({ ...value, again: event.currentTarget.value })}
            />
        </>
    );
}
